//! Tests of the engine: its rules with figures worked by hand, its properties, and a comparison with an independent implementation.

mod bots;
mod cancelling;
mod candles;
mod costs;
mod entries;
mod exact_event;
mod fraction;
mod grid_ranges;
mod grid_reference;
mod grids;
mod movement;
mod profits;
mod properties;
mod random;
mod reference;
mod simulation;
mod stop_losses;
mod take_profits;
mod trailing;
