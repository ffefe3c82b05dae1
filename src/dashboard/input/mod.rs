//! What a person and a lab give the screen: keys, lines and messages, and what each of them changes.

pub mod action;
pub mod key;
pub mod keymap;
pub mod message;
pub mod prompt;
pub mod update;
