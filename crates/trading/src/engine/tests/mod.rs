//! Tests of the engine: its rules with figures worked by hand, its properties, and a comparison with an independent implementation.

mod bots;
mod cancelling;
mod costs;
mod entries;
mod fraction;
mod grid_reference;
mod grids;
mod movement;
mod outcome;
mod properties;
mod random;
mod reference;
mod simulation;
mod stop_losses;
mod take_profits;
mod trailing;
