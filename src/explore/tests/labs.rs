//! What the papers claim, in labs of two and three nodes.
