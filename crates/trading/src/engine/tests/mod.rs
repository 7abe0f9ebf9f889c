//! Tests of the engine: its rules with figures worked by hand, its properties, and a comparison with an independent implementation.

mod fraction;
mod outcome;
mod random;
mod reference;
mod simulation;
