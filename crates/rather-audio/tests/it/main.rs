//! The suppressor, the sounds and the simulated listener, from outside.

mod demo;
mod golden;
mod landscape;
mod listener;
mod properties;
mod recordings;
mod switching;
mod wav;
