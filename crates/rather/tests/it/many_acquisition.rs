//! Which question to ask whom: the acquisition functions of a single person, over users.

use crate::common::{close, oracle, se};
use rather::acquisition::pool::Pairs;
use rather::acquisition::{Contrast, Request, bald, entropy};
use rather::answers::Answer;
use rather::many::collaborative::{Data, Settings};
use rather::many::{Collaborative, PerUser, UserAnswers, UserModel, UserPrior};
use rather::points::Points;
use rather::{Comparison, Error};

const DUEL_NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;
const ITEMS: usize = 5;

fn request(acquisition: &str, n: usize) -> Request<'static> {
    Request::new(acquisition.parse().unwrap(), Pairs::All, n, 3)
}

fn pairs() -> Vec<(usize, usize)> {
    (0..ITEMS).flat_map(|i| (i + 1..ITEMS).map(move |j| (i, j))).collect()
}

/// Six users who prefer items with smaller numbers, user 5 about one pair only, user 6 silent.
fn data() -> (Points, UserAnswers) {
    let items = Points::from_rows(&[[0.0], [0.7], [1.6], [2.2], [3.1]]);
    let ask = |user, (winner, loser)| Answer::rather(winner, loser).by(user);
    let mut said: Vec<Answer> = (0..5).flat_map(|u| pairs().into_iter().map(move |p| ask(u, p))).collect();
    said.push(ask(5, (0, 4)));
    (items, UserAnswers::new(7, ITEMS, &said).unwrap())
}

fn collaborative() -> Collaborative {
    let (items, answers) = data();
    let data = Data { items: &items, users: None, answers: &answers };
    let settings = Settings { functions: 3, ..Settings::default() };
    Collaborative::fit(&data, &se(1, 1.0, 1.0), &UserPrior::exchangeable(0.5), &settings).unwrap()
}

fn per_user() -> PerUser {
    let (items, answers) = data();
    PerUser::fit(&items, &answers, &se(1, 1.0, 1.0), DUEL_NOISE).unwrap()
}

/// The reference's values, to the digits that it gives.
#[test]
fn information_of_the_reference() {
    let golden = oracle("many-users-golden");
    for row in golden["bald"].as_array().unwrap() {
        let of = |name: &str| row[name].as_f64().unwrap();
        let contrast = Contrast { mean: of("m"), variance: of("v"), base: 0.0 };
        close(bald::score(&contrast, 1.0).value, of("bald"), 1e-12, "bald");
    }
}

/// What is scored is the difference of utilities as the model predicts it, in units of the model's noise.
#[test]
fn scores_are_those_of_the_predictions() {
    let model = collaborative();
    for user in [0, 5, 6] {
        let posterior = model.user(user).unwrap();
        for acquisition in ["bald", "entropy"] {
            let best = model.suggest(&posterior, &request(acquisition, 1)).unwrap()[0];
            let score = |pair: (usize, usize)| {
                let z = model.predict(user, &[pair]).unwrap();
                let contrast = Contrast { mean: z.mean[0], variance: z.variance[0], base: 0.0 };
                match acquisition {
                    "bald" => bald::score(&contrast, model.responses().likelihoods().comparison.s()).value,
                    _ => entropy::score(&contrast, model.responses().likelihoods().comparison.s()).value,
                }
            };
            let largest = pairs().into_iter().map(score).fold(f64::MIN, f64::max);
            close(best.score, largest, 1e-12, "the best question's score");
            close(score((best.challenger, best.opponent)), largest, 1e-12, "the best question");
        }
    }
}

#[test]
fn a_batch_keeps_to_what_is_allowed() {
    let model = collaborative();
    let posterior = model.user(6).unwrap();
    let allowed = |i: usize, j: usize| i != 0 && j != 0;
    for acquisition in ["bald", "random", "thompson"] {
        let request = Request { allowed: &allowed, ..request(acquisition, 100) };
        let asked = model.suggest(&posterior, &request).unwrap();
        let mut found: Vec<(usize, usize)> =
            asked.iter().map(|q| (q.challenger.min(q.opponent), q.challenger.max(q.opponent))).collect();
        found.sort_unstable();
        let expected: Vec<(usize, usize)> = pairs().into_iter().filter(|&(i, _)| i != 0).collect();
        assert_eq!(found, expected, "{acquisition}");
    }
}

/// A newcomer is not asked what everyone agrees on, and not the same thing again.
#[test]
fn first_questions_start_from_everyone_else() {
    let model = collaborative();
    let ask = |answers: &[Comparison], n: usize| {
        model.suggest(&model.newcomer(None, &answers.into()).unwrap(), &request("bald", n)).unwrap()
    };
    let first = ask(&[], 2);
    let pair = (first[0].challenger, first[0].opponent);
    let answer = Comparison { winner: pair.0, loser: pair.1, count: 1.0 };
    let next = ask(&[answer; 3], 1)[0];
    assert_ne!((next.challenger, next.opponent), pair);
    assert!(next.score < first[0].score);
}

#[test]
fn requests_that_make_no_sense() {
    let model = per_user();
    let posterior = model.user(0).unwrap();
    let ask = |request: &Request<'_>| model.suggest(&posterior, request).unwrap_err();
    assert!(matches!(ask(&request("ucb:2", 1)), Error::NeedsOpponent { .. }));
    assert!(matches!(ask(&request("believer", 1)), Error::Unsupported(rather::Unsupported::Draw)));
    assert!(matches!(ask(&request("qeubo:3", 1)), Error::ChoiceOfTwo { q: 3, .. }));
    let unknown = [(0, 1), (2, ITEMS)];
    let given = Request { pairs: Pairs::Given(&unknown), ..request("bald", 1) };
    assert!(matches!(ask(&given), Error::UnknownItem { row: 1, item: ITEMS, .. }));
    let against = Request { pairs: Pairs::Against(ITEMS), ..request("ucb:2", 1) };
    assert!(matches!(ask(&against), Error::UnknownItem { .. }));
    assert!(matches!(model.user(7), Err(Error::NewUser { user: 7, users: 7 })));
}
