//! Parts of answers, differences, and what is good or bad, from answers to predictions.

use rather::answers::{Answer, Answers};
use rather::evaluate::Questions;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Preference, ResponseModel};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, StreamingSettings};
use rather::representation::Representation;

use crate::common::close;

fn names(n: usize) -> Items {
    Items { keys: (0..n).map(|i| format!("t{i}")).collect(), columns: vec![] }
}

fn settings(representation: Representation, fixed: &[(&str, f64)]) -> FitSettings {
    let ep = Ep { representation, integration: Integration::Off, ..Ep::default() };
    FitSettings {
        inference: Inference::Ep(ep),
        kernel: KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false }),
        fixed: fixed.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
        ..FitSettings::default()
    }
}

fn fit(n: usize, answers: impl Into<Answers>, settings: &FitSettings) -> Model {
    Model::fit_given(&names(n), answers, &[], settings, &|_| ()).unwrap()
}

fn likelihoods(model: &Model) -> rather::likelihood::Likelihoods {
    let responses = &model.observations().responses;
    responses.likelihoods(&model.hyperparameters().values())
}

const FIXED: [(&str, f64); 2] = [("variance", 2.0), ("noise", 1.0)];

/// Two halves of an answer are one, whatever the representation and the engine.
#[test]
fn parts_of_an_answer_add_up() {
    let whole = [Answer::rather(0, 1), Answer::rather(1, 2).times(2), Answer::rather(0, 2)];
    let halves: Vec<Answer> =
        whole.iter().flat_map(|a| [a.times(0.25 * a.count), a.times(0.75 * a.count)]).collect();
    for representation in [Representation::Full, Representation::Sparse] {
        let settings = settings(representation, &FIXED);
        let (one, other) = (fit(3, &whole, &settings), fit(3, &halves, &settings));
        let (a, b) = (one.report().log_evidence, other.report().log_evidence);
        close(a, b, 1e-12 * a.abs(), "evidence");
        assert_eq!(other.report().comparisons, 4.0);
    }
}

/// With a probability of one half nothing is learned of which is better, and the more is said, the less they differ.
#[test]
fn a_judge_who_is_undecided_says_they_are_alike() {
    let undecided = |times: f64| {
        let said = [Answer::rather(0, 1).times(times), Answer::rather(1, 0).times(times)];
        let model = fit(2, &said, &settings(Representation::Full, &FIXED));
        model.probabilities(model.points(), &[(0, 1)])[0]
    };
    for times in [0.5, 5.0, 50.0] {
        close(undecided(times), 0.5, 1e-9, "probability");
    }
}

/// In a stream a part of an answer counts so much, too: the answer that is refined at its fixpoint is the batch's.
#[test]
fn a_stream_takes_parts_of_answers() {
    let said =
        [Answer::rather(0, 1).times(1.5), Answer::rather(1, 2).times(0.4), Answer::rather(2, 0).times(0.3)];
    let batch = fit(3, &said, &settings(Representation::Full, &FIXED));
    let streaming = FitSettings {
        inference: Inference::Streaming(StreamingSettings::default()),
        ..settings(Representation::Full, &FIXED)
    };
    let stream = fit(3, &said, &streaming);
    let [a, b] = [&batch, &stream].map(|model| model.probabilities(model.points(), &[(0, 1)])[0]);
    // A stream has one factor an answer, and a batch one a pair; 1.5 answers are two factors.
    close(a, b, 2e-3, "probability");
}

/// Whole differences are outcomes, too: with a tie where less than one half is between them. Of "1" and "0" and "-1" alone they say what
/// grades of the same thresholds say.
#[test]
fn a_rounded_difference_is_a_grade_with_equal_steps() {
    let (tie, z) = (0.4, (0.7, 0.9));
    let responses = |said: &[Answer]| {
        rather::inference::observations::Observations::of(&said.into(), &[], ResponseModel::default())
            .responses
    };
    let of_differences = responses(&[Answer::difference(0, 1, 1.0), Answer::difference(0, 1, 0.0)]);
    let of_grades = responses(&[Answer::better(0, 1, 1), Answer::tie(0, 1)]);
    let values = rather::likelihood::Values(vec![1.0, tie]);
    let [a, b] =
        [&of_differences, &of_grades].map(|r| r.likelihoods(&values).outcome_probabilities(z.0, z.1));
    assert_eq!(a.len(), 3);
    for ((one, p), (other, q)) in a.iter().zip(&b) {
        assert_eq!(one, other);
        close(*p, *q, 1e-15, "probability of an outcome");
    }
    // All differences together are certain.
    let every: Vec<Answer> = (-40..=40).map(|y| Answer::difference(0, 1, f64::from(y))).collect();
    let responses = responses(&every);
    let likelihoods = responses.likelihoods(&values);
    let total: f64 = (0..=40)
        .map(|y| {
            let said = rather::likelihood::Reply::difference(f64::from(y));
            let at = responses.replies.iter().position(|r| *r == said).unwrap();
            let of = |sign: f64| {
                likelihoods.of(rather::likelihood::AnswerIndex(at as u32)).probability(sign * z.0, z.1)
            };
            if y == 0 { of(1.0) } else { of(1.0) + of(-1.0) }
        })
        .sum();
    close(total, 1.0, 1e-12, "all differences");
}

/// What is learned from differences predicts who wins, and a held-out difference is tested as its outcome.
#[test]
fn differences_predict_outcomes() {
    let said = [(0, 1, 3.0), (1, 2, 1.0), (0, 2, 5.0), (2, 1, 0.0), (2, 0, -4.0)]
        .map(|(a, b, y)| Answer::difference(a, b, y));
    let model = fit(3, &said, &settings(Representation::Full, &[]));
    let responses = model.observations().responses.as_ref();
    let outcomes = likelihoods(&model).outcome_probabilities(0.0, 0.0);
    assert_eq!(
        outcomes.iter().map(|(p, _)| *p).collect::<Vec<_>>(),
        [Preference::Left(1), Preference::Tie, Preference::Right(1)]
    );
    let questions = Questions::of(responses, &(&said).into());
    assert!(questions.all.iter().all(|q| q.options.len() == 3));
    assert_eq!(
        questions.all.iter().map(|q| q.given).collect::<Vec<_>>(),
        [Some(0), Some(0), Some(0), Some(1), Some(0)]
    );
    assert!(model.probabilities(model.points(), &[(0, 2)])[0] > 0.9);
    // Twice the differences are the same, but for rounding: the same model in other units.
    let halves =
        said.map(|a| Answer { reply: rather::likelihood::Reply::difference(0.5 * a.reply.datum), ..a });
    let other = fit(3, &halves, &settings(Representation::Full, &[]));
    assert_eq!(likelihoods(&other).outcomes().len(), 0);
    assert!(other.probabilities(other.points(), &[(0, 2)])[0] > 0.9);
}

/// Comparisons do not tell where utilities are, and what is good does: an item that beats a good one is likely good.
#[test]
fn what_is_good_is_learned_beside_comparisons() {
    let mut said: Vec<Answer> = (0..4).flat_map(|i| [Answer::rather(i, i + 1).times(4)]).collect();
    said.extend([
        Answer::good(0, true),
        Answer::good(1, true),
        Answer::good(3, false),
        Answer::good(4, false),
    ]);
    let model = fit(5, &said, &settings(Representation::Full, &[]));
    let threshold = model.hyperparameters().entries.iter().find(|e| e.name == "good").unwrap().value;
    let utilities = model.utilities(model.points()).mean;
    assert!(utilities[1] > threshold && utilities[3] < threshold, "{threshold} among {utilities:?}");
}
