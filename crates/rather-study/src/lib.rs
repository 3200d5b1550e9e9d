//! Ask/tell studies of preferences, over a list of items or a space of parameters: durable in SQLite, or in memory.
//!
//! A study is a log of events to which nothing is done but append, one transaction an answer. What is asked next follows
//! from the definition, its seed and the answers alone; [`Study::plan_ahead`] chooses it while the person listens.
//!
//! # Examples
//! ```
//! use rather_study::{Answer, Ask, Definition, Study};
//!
//! let folder = tempfile::tempdir()?;
//! let definition = Definition::of_items(["Assam", "Oolong", "Sencha"]);
//! let mut study = Study::create(&folder.path().join("tea.study"), "tea", &definition)?;
//! while let Ask::Duel(duel) = study.ask("ann")? {
//!     let answer = if duel.left.to_string() == "Oolong" { Answer::Left } else { Answer::Right };
//!     study.tell("ann", Some(duel.number), answer, None)?;
//!     if study.advice("ann")?.answers == 6 {
//!         break;
//!     }
//! }
//! println!("{} is the best so far", study.advice("ann")?.recommended);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod alternative;
pub mod analysis;
pub mod answer;
mod deadline;
pub mod definition;
pub mod error;
mod event;
pub mod exchange;
mod fingerprint;
pub mod history;
mod journal;
mod learner;
#[cfg(feature = "sqlite")]
pub mod sort;
pub mod space;
#[cfg(feature = "sqlite")]
pub mod store;
pub mod study;
pub mod time;
pub mod timing;

pub use alternative::{Alternative, Setting, Value};
pub use answer::Answer;
pub use definition::Definition;
pub use error::Error;
pub use exchange::{Format, Imported};
pub use history::Check;
pub use learner::{Choice, Cut};
pub use study::{Ask, Asked, Study, Told};
pub use timing::Timing;
