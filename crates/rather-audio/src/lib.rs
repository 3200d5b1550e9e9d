//! A noise suppressor with settings to tune by ear, and what a study of them needs.
//!
//! How much noise should go, and how much speech with it, is a matter of taste: no measure answers it, and a
//! listener can only say which of two sounds is the better one. This crate makes the sounds.
//!
//! ```text
//! voice, noise -> scene -> clip -> suppressor -> analysis --setting--> samples -> level -> WAV
//!                   |       ^ wav file              |
//!                   '--> hearing <------gains-------'
//!                           '--> listener: utility, answers
//! ```
//!
//! All sound is one channel at 16 kHz, `f64`, full scale 1. [`demo::Demo`] is all of it in one place.

pub mod clip;
pub mod demo;
pub mod error;
pub mod hearing;
pub mod level;
pub mod listener;
pub mod noise;
pub mod noise_power;
pub mod notice;
pub mod quality;
pub mod resample;
pub mod scene;
pub mod setting;
pub mod stft;
pub mod suppressor;
pub mod switching;
pub mod voice;
pub mod wav;

pub use clip::Clip;
pub use demo::Demo;
pub use error::Error;
pub use setting::Setting;
