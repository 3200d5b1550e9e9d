//! What an evaluation comes to, in one sentence.

use super::baselines::Name;

/// A baseline's log loss against the model's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Against {
    pub(super) name: Name,
    pub(super) log_loss: f64,
    /// Log loss above the model's, and its standard error.
    pub(super) difference: f64,
    pub(super) error: f64,
}

impl Against {
    /// By how many standard errors the model is better.
    fn is_worse(&self) -> bool {
        self.difference > SURE * self.error
    }

    fn is_better(&self) -> bool {
        self.difference < -SURE * self.error
    }
}

/// Standard errors from which on a difference counts.
const SURE: f64 = 2.0;

/// The sentence for a model of this log loss. Of baselines that are better the best counts; else of those that are not worse; else the best.
pub(super) fn conclusion(log_loss: f64, baselines: &[Against]) -> Option<String> {
    let best = |among: &dyn Fn(&&Against) -> bool| {
        baselines.iter().filter(among).min_by(|a, b| a.log_loss.total_cmp(&b.log_loss))
    };
    let against = |b: &Against| {
        format!(
            "log loss {:.4} against {:.4} (difference {:.4} ± {:.4})",
            b.log_loss,
            log_loss,
            b.difference.abs(),
            b.error
        )
    };
    if let Some(better) = best(&|b| b.is_better()) {
        let name = better.name.in_words();
        return Some(format!("{}: {name} predict better, {}.", better.name.advice(), against(better)));
    }
    if let Some(equal) = best(&|b| !b.is_worse()) {
        let error = if equal.error.is_finite() { format!(" ± {:.4}", equal.error) } else { String::new() };
        return Some(format!(
            "No difference between the model and {} that these answers can show: log loss {log_loss:.4} against {:.4} (difference {:.4}{error}).",
            equal.name.in_words(),
            equal.log_loss,
            equal.difference.abs()
        ));
    }
    let next = best(&|_| true)?;
    Some(format!(
        "The model predicts better than {}{}: log loss {log_loss:.4} against {:.4} (difference {:.4} ± {:.4}).",
        if baselines.len() > 1 { "every baseline, of which the best is " } else { "" },
        next.name.in_words(),
        next.log_loss,
        next.difference,
        next.error
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(name: Name, log_loss: f64, difference: f64, error: f64) -> Against {
        Against { name, log_loss, difference, error }
    }

    /// Ten made-up cases: the baselines against a model of log loss 0.6, and how the sentence begins.
    #[test]
    fn ten_cases() {
        use Name::{BaseRates, Elo, Linear, Names};
        let cases: [(&[Against], &str); 10] = [
            (
                &[against(Names, 0.575, -0.025, 0.006), against(BaseRates, 0.69, 0.09, 0.01)],
                "Leave the features out: names only predict better, log loss 0.5750 against 0.6000 (difference 0.0250 ± 0.0060).",
            ),
            (
                &[against(Names, 0.64, 0.04, 0.006), against(BaseRates, 0.69, 0.09, 0.01)],
                "The model predicts better than every baseline, of which the best is names only: log loss 0.6000 against 0.6400",
            ),
            (
                &[against(Names, 0.605, 0.005, 0.006), against(BaseRates, 0.69, 0.09, 0.01)],
                "No difference between the model and names only that these answers can show: log loss 0.6000 against 0.6050",
            ),
            (
                &[against(Names, 0.62, 0.02, 0.005), against(Linear, 0.58, -0.02, 0.004)],
                "Take --kernel linear: weights of the features alone predict better, log loss 0.5800",
            ),
            (
                &[against(Names, 0.62, 0.02, 0.005), against(Elo, 0.57, -0.03, 0.004)],
                "Let utilities change over time (wiener[date] in --kernel): Elo's ratings predict better, log loss 0.5700",
            ),
            (
                &[against(BaseRates, 0.55, -0.05, 0.01), against(Names, 0.58, -0.02, 0.005)],
                "Do not use this model: base rates predict better, log loss 0.5500",
            ),
            // Worse, but not for sure: the baseline's smaller loss is no advice.
            (&[against(Names, 0.59, -0.01, 0.006)], "No difference between the model and names only"),
            // One is as good, others are worse.
            (
                &[against(Linear, 0.601, 0.001, 0.004), against(Elo, 0.7, 0.1, 0.01)],
                "No difference between the model and weights of the features alone",
            ),
            (
                &[against(BaseRates, 0.69, 0.09, 0.01)],
                "The model predicts better than base rates: log loss 0.6000",
            ),
            // One cluster has no standard error.
            (
                &[against(Names, 0.9, 0.3, f64::INFINITY)],
                "No difference between the model and names only that these answers can show: log loss 0.6000 against 0.9000 (difference 0.3000).",
            ),
        ];
        for (baselines, expected) in cases {
            let sentence = conclusion(0.6, baselines).unwrap();
            assert!(sentence.starts_with(expected), "{sentence}\n{expected}");
        }
        assert_eq!(conclusion(0.6, &[]), None);
    }
}
