//! Hand-drawn traces.
