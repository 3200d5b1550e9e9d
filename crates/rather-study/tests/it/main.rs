//! Tests of studies through their public face.

mod agreement;
mod asking;
mod collaborative;
mod crash;
mod exchange;
mod fixtures;
mod folding;
mod judging;
mod kinds;
mod lab;
mod memory;
mod sets;
mod sort;
mod strangers;
