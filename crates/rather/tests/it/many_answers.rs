//! Answers of every kind in models of many users, against models of one and against each other.

use crate::common::close;
use rather::answers::{Answer, Answers};
use rather::inference::Method;
use rather::inference::observations::Observations;
use rather::kernel::{Kernel, Schema, parse};
use rather::likelihood::{Lapses, Link, Preference, Reply, ResponseModel, Responses, Values};
use rather::many::collaborative::{self, Data};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{
    Collaborative, Hierarchical, HierarchicalSettings, Kind, Kronecker, PerUser, Population, UserAnswers,
    UserModel, UserPrior,
};
use rather::model::Items;
use rather::points::Points;
use rather::{Error, evidence::Problem};
use rather_numerics::random::{normals, stream, uniform};

const ITEMS: usize = 7;
const NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;

fn points() -> Points {
    let rows: Vec<[f64; 1]> = (0..ITEMS).map(|i| [0.6 * i as f64 + 0.1 * (i % 2) as f64]).collect();
    Points::from_rows(&rows)
}

fn kernel() -> Kernel {
    let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
    let mut kernel = parse("se + white", &schema, false).unwrap();
    kernel.set_parameters(&[1.5, 1.2, 0.3]).unwrap();
    kernel
}

/// Answers of all kinds by `users`, whose utilities rise with the item for even users and fall for odd ones.
fn every_kind(users: usize, each: usize) -> Vec<Answer> {
    let mut rng = stream(3, 7);
    let mut pick = |n: usize| ((uniform(&mut rng) * n as f64) as usize).min(n - 1);
    let mut noise = normals(2 * users * each, &mut stream(4, 7)).into_iter();
    let mut out = Vec::new();
    for user in 0..users {
        let taste = if user % 2 == 0 { 1.0 } else { -1.0 };
        let utility = |i: usize| taste * (i as f64 - 3.0) * 0.8;
        for at in 0..each {
            let (i, j) = (pick(ITEMS), pick(ITEMS - 1));
            let j = if j < i { j } else { j + 1 };
            let z = utility(i) - utility(j) + noise.next().unwrap();
            let (winner, loser) = if z > 0.0 { (i, j) } else { (j, i) };
            let single = utility(i) + 0.7 * noise.next().unwrap();
            out.push(
                match at % 6 {
                    0 => Answer::rather(winner, loser).shown_left(i),
                    1 if z.abs() < 0.6 => Answer::tie(i, j).shown_left(i),
                    1 => Answer::better(winner, loser, 1).shown_left(i),
                    2 => Answer::better(winner, loser, if z.abs() > 1.5 { 2 } else { 1 }),
                    3 => Answer::rated(i, ((single + 3.0).clamp(0.0, 5.9) / 2.0) as u16),
                    4 => Answer::measured(i, single),
                    _ => Answer::labelled(i, single > 0.0),
                }
                .by(user),
            );
        }
    }
    out
}

fn names(users: usize) -> Vec<String> {
    (0..users).map(|u| format!("u{u}")).collect()
}

/// Values of all parameters, moved from their starts.
fn values(responses: &Responses) -> Values {
    let others = responses.parameters(NOISE).into_iter().map(|p| p.value * 1.1);
    Values(std::iter::once(NOISE).chain(others).collect())
}

fn manners() -> [ResponseModel; 4] {
    let plain = ResponseModel::default();
    [
        plain,
        ResponseModel { bias: true, link: Link::Logistic, ..plain },
        ResponseModel { user_noise: true, ..plain },
        ResponseModel { lapses: Lapses::Rate(0.05), robust: true, ..plain },
    ]
}

/// One user alone is the model of one person: the same evidence and the same moments, by another merging and another prior.
#[test]
fn one_user_is_one_person() {
    let (points, kernel) = (points(), kernel());
    for response_model in manners() {
        let said = every_kind(1, 40);
        let answers = UserAnswers::of(&names(1), ITEMS, &said, response_model).unwrap();
        let values = values(answers.responses());
        let own: Answers = said.iter().copied().collect();
        let observations = Observations::of(&own, &names(1), response_model);
        let problem = Problem {
            points: &points.select(&observations.items),
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        let alone = problem.evaluate(&kernel, values.clone(), None, &Default::default()).unwrap().outcome;
        let per_user = PerUser::fit(&points, &answers, &kernel, values.clone()).unwrap();
        // Both are at their fixpoints to 1e-8.
        close(per_user.report().log_evidence, alone.log_evidence, 1e-6, "evidence");
        let settings = rather::many::kronecker::KroneckerSettings { values, ..Default::default() };
        let (answers, users) = (&answers, None);
        let data = Data { items: &points, users, answers };
        let kronecker = Kronecker::fit(&data, &kernel, &UserPrior::exchangeable(0.0), &settings).unwrap();
        close(kronecker.report().log_evidence, alone.log_evidence, 1e-6, "Kronecker evidence");
        let pairs: Vec<(usize, usize)> = (1..ITEMS).map(|i| (i - 1, i)).collect();
        let [a, b] = [per_user.predict(0, &pairs).unwrap(), kronecker.predict(0, &pairs).unwrap()];
        for k in 0..pairs.len() {
            close(a.mean[k], b.mean[k], 1e-6, "mean");
            close(a.variance[k], b.variance[k], 1e-6, "variance");
        }
        for (e, edge) in observations.edges.iter().enumerate() {
            let about = rather::inference::observations::Edge::new(
                observations.items[edge.plus()],
                edge.minus().map(|minus| observations.items[minus]),
            );
            let z = per_user.user(0).unwrap().projections(&per_user.items().known(), &[about]);
            close(z.mean[0], alone.posterior.mean[e], 1e-6, "mean of a projection");
            close(z.variance[0], alone.posterior.variance[e], 1e-6, "variance of a projection");
        }
    }
}

/// "Better by one grade" without ties and other grades is a choice, whose likelihood comes another way: the same posteriors in every model.
#[test]
fn one_grade_is_a_choice() {
    let (points, kernel) = (points(), kernel());
    let chosen: Vec<Answer> = every_kind(6, 24)
        .into_iter()
        .filter(|a| a.minus.is_some())
        .map(|a| Answer { reply: Reply { user: a.reply.user, ..Reply::CHOICE }, ..a })
        .collect();
    let graded: Vec<Answer> = chosen
        .iter()
        .map(|a| Answer { reply: Reply { user: a.reply.user, ..Reply::better(1) }, ..*a })
        .collect();
    let [chosen, graded] = [chosen, graded].map(|said| UserAnswers::new(6, ITEMS, &said).unwrap());
    assert!(chosen.is_plain() && !graded.is_plain());
    let settings = collaborative::Settings { functions: 3, ..Default::default() };
    let hierarchical = HierarchicalSettings { iterations: 3, ..Default::default() };
    let models = |answers: &UserAnswers| -> Vec<Box<dyn UserModel>> {
        let data = Data { items: &points, users: None, answers };
        let prior = UserPrior::exchangeable(0.4);
        vec![
            Box::new(PerUser::fit(&points, answers, &kernel, NOISE).unwrap()),
            Box::new(Hierarchical::fit(&points, answers, &kernel, &hierarchical).unwrap()),
            Box::new(Kronecker::fit(&data, &kernel, &prior, &Default::default()).unwrap()),
            Box::new(Collaborative::fit(&data, &kernel, &prior, &settings).unwrap()),
        ]
    };
    let pairs: Vec<(usize, usize)> = (1..ITEMS).map(|i| (i - 1, i)).collect();
    for (a, b) in models(&chosen).iter().zip(&models(&graded)) {
        // The closed moments of an interval and those of a probit differ by rounding.
        close(a.log_evidence(), b.log_evidence(), 1e-7, "evidence");
        for user in 0..6 {
            let [a, b] = [a, b].map(|model| model.predict(user, &pairs).unwrap());
            for k in 0..pairs.len() {
                close(a.mean[k], b.mean[k], 1e-6, "mean");
                close(a.variance[k], b.variance[k], 1e-6, "variance");
            }
        }
    }
}

fn fit(kind: Kind, answers: &[Answer], response_model: ResponseModel) -> Result<Population, Error> {
    let column = |values: Vec<f64>| rather::features::Column {
        name: "x".into(),
        values: rather::features::ColumnValues::Numeric(values),
    };
    let points = points();
    let values = (0..ITEMS).map(|i| points.row(i)[0]).collect();
    let items = Items { keys: (0..ITEMS).map(|i| format!("i{i}")).collect(), columns: vec![column(values)] };
    let users = Items { keys: names(8), columns: vec![column((0..8).map(|u| f64::from(u % 2)).collect())] };
    let data = PopulationData { items: &items, users: &users, answers: &answers.into() };
    let settings = PopulationSettings { functions: 3, response_model, ..PopulationSettings::new(kind) };
    Population::fit(&data, &settings, &|_| ())
}

/// Two tastes are learned from answers of all kinds together, thresholds and levels with them.
#[test]
fn every_model_learns_from_every_kind() {
    let said = every_kind(8, 36);
    let ends = [(ITEMS - 1, 0)];
    for kind in Kind::ALL {
        let model = fit(kind, &said, ResponseModel { bias: true, ..ResponseModel::default() }).unwrap();
        let learned = model.reported_hyperparameters();
        for name in ["tie", "grade[2]", "rating.first", "bias"] {
            assert!(learned.iter().any(|(known, _)| known == name), "{kind:?}: {learned:?}");
        }
        let (items, likelihoods) = (model.model().items().known(), model.model().responses().likelihoods());
        for user in 0..8 {
            let posterior = model.model().user(user).unwrap();
            let outcomes = &posterior.outcomes(&items, &ends, likelihoods)[0];
            assert_eq!(outcomes.len(), 5, "{kind:?}");
            assert!(outcomes.iter().any(|(outcome, _)| *outcome == Preference::Tie));
            close(outcomes.iter().map(|(_, p)| p).sum(), 1.0, 1e-9, "outcomes");
            let levels = posterior.ratings(&items, likelihoods);
            levels.iter().for_each(|levels| close(levels.iter().sum(), 1.0, 1e-9, "levels"));
            if kind == Kind::Pooled {
                continue;
            }
            let p = posterior.probabilities(&items, &ends, likelihoods)[0];
            let likes = if user % 2 == 0 { p } else { 1.0 - p };
            assert!(likes > 0.9, "{kind:?}, user {user}: {likes}");
            let expected =
                |item: usize| levels[item].iter().zip(0_u32..).map(|(p, l)| p * f64::from(l)).sum::<f64>();
            let higher = expected(ITEMS - 1) > expected(0);
            assert_eq!(higher, user % 2 == 0, "{kind:?}, user {user}");
        }
    }
}

/// Somebody new may answer as the others did, and not otherwise.
#[test]
fn newcomers_answer_as_the_others() {
    let said = every_kind(8, 36);
    let compared: Vec<Answer> = said.iter().filter(|a| a.reply.kind == Reply::CHOICE.kind).copied().collect();
    for kind in Kind::ALL {
        let features = Items {
            keys: vec!["new".into()],
            columns: vec![rather::features::Column {
                name: "x".into(),
                values: rather::features::ColumnValues::Numeric(vec![0.0]),
            }],
        };
        let own: Answers = [
            Answer::better(6, 0, 2),
            Answer::tie(2, 3),
            Answer::rated(6, 2),
            Answer::rated(0, 0),
            Answer::measured(5, 7.25),
            Answer::rather(4, 1),
        ]
        .into_iter()
        .collect();
        let all = fit(kind, &said, ResponseModel::default()).unwrap();
        let before = all.newcomer(Some(&features), &Answers::default()).unwrap();
        let after = all.newcomer(Some(&features), &own).unwrap();
        let (items, likelihoods) = (all.model().items().known(), all.model().responses().likelihoods());
        let p = |user: &rather::many::UserPosterior| user.probabilities(&items, &[(6, 0)], likelihoods)[0];
        assert!(p(&after) > p(&before) || p(&before) > 0.99, "{kind:?}");
        let plain = fit(kind, &compared, ResponseModel::default()).unwrap();
        for (wrong, problem) in [
            (Answer::tie(0, 1), "has not learned from"),
            (Answer::rated(0, 1), "has not learned from"),
            (Answer::rather(0, 70), "70"),
        ] {
            let error = plain.newcomer(Some(&features), &[wrong].into_iter().collect()).unwrap_err();
            assert!(error.to_string().contains(problem), "{kind:?}: {error}");
        }
    }
}

/// What is not log-concave has no place in the collaborative model's sites.
#[test]
fn lapses_are_refused_where_they_must_be() {
    let said = every_kind(2, 6);
    for response_model in manners() {
        for kind in Kind::ALL {
            let refused = kind == Kind::Collaborative
                && (response_model.robust || response_model.lapses != Lapses::Never);
            match fit(kind, &said, response_model) {
                Ok(_) => assert!(!refused, "{kind:?}"),
                Err(error) => {
                    assert!(refused && error.to_string().contains("log-concave"), "{kind:?}: {error}")
                }
            }
        }
    }
}
