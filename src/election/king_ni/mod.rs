//! King, Gendreau and Ni 1988.
