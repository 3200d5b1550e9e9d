//! How long a participant took for an answer, and what they looked at or listened to meanwhile.

use serde::{Deserialize, Serialize};

/// What was observed between a comparison being ready and its answer. It is kept and exported; nothing is learned from it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Seconds from when all options could be seen or heard to the answer.
    pub seconds: f64,
    /// How many times the participant changed from one option to another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<u32>,
    /// Seconds that each option was played, or shown where one is shown at a time, in the order of the options; empty where that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exposure: Vec<f64>,
}

/// Longer than this nobody thinks: about eleven days.
const LONGEST: f64 = 1e6;

impl Timing {
    /// Whether it may be that of a comparison of `options` options.
    ///
    /// # Errors
    /// The sentence that says why not.
    pub fn check(&self, options: usize) -> Result<(), String> {
        let times = self.exposure.iter().chain([&self.seconds]);
        if let Some(wrong) = times.into_iter().find(|x| !(0.0..=LONGEST).contains(*x)) {
            return Err(format!("timing: {wrong} is no number of seconds from 0 to a million"));
        }
        let found = self.exposure.len();
        if found != 0 && found != options {
            return Err(format!(
                "timing: the exposure has {found} times for {options} options; send one for each, or none"
            ));
        }
        Ok(())
    }
}

/// The note of an event of an answer.
#[derive(Serialize, Deserialize)]
struct Note {
    timing: Option<Timing>,
}

/// As an event keeps it.
pub(crate) fn note(timing: &Timing) -> Option<String> {
    serde_json::to_string(&Note { timing: Some(timing.clone()) }).ok()
}

/// What an event's note says of it.
pub(crate) fn of_note(note: Option<&str>) -> Option<Timing> {
    serde_json::from_str::<Note>(note?).ok()?.timing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timing_is_kept_and_found_again() {
        let timing = Timing { seconds: 5.25, switches: Some(3), exposure: vec![2.0, 1.5] };
        assert_eq!(of_note(note(&timing).as_deref()), Some(timing.clone()));
        assert_eq!(of_note(Some("{\"check\":\"repeat\"}")), None);
        assert_eq!(timing.check(2), Ok(()));
        assert!(timing.check(3).unwrap_err().contains("2 times for 3 options"));
        for seconds in [-1.0, f64::NAN, f64::INFINITY, 1e7] {
            assert!(Timing { seconds, ..Timing::default() }.check(2).is_err(), "{seconds}");
        }
    }
}
