//! Not yet furnished.
