//! `rather explain`: what features do to utilities.

use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::people::People;
use crate::ranking::{Z95, units};
use crate::table::{Side, Table, number, wrap};
use rather::Person;
use rather::explain::{Effect, Explanation, FeatureValue, Relevance};
use rather::many::Population;
use rather::model::Exchanged;
use serde::Serialize;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    kernel: String,
    weights: Vec<Estimate>,
    relevances: Vec<Lengthscale>,
    shares: Vec<Share>,
    effects: Vec<Curve>,
    importances: Option<Vec<Importance>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    willingness_to_pay: Option<Vec<Payment>>,
}

/// What one unit of a column is worth in units of the price.
#[derive(Serialize)]
struct Payment {
    feature: String,
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct Estimate {
    feature: String,
    mean: f64,
    sd: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct Lengthscale {
    feature: String,
    kernel: String,
    lengthscale: f64,
    relevance: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct Share {
    term: String,
    share: f64,
}

#[derive(Serialize)]
struct Curve {
    feature: String,
    reference: Value,
    values: Vec<Contrast>,
}

#[derive(Serialize)]
struct Contrast {
    value: Value,
    mean: f64,
    sd: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct Importance {
    feature: String,
    mean: f64,
    sd: f64,
}

/// A value of a feature: a number, or a text.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Number(f64),
    Text(String),
}

impl From<&FeatureValue> for Value {
    fn from(value: &FeatureValue) -> Self {
        match value {
            FeatureValue::Number(x) => Self::Number(*x),
            FeatureValue::Category(name) => Self::Text(name.clone()),
        }
    }
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Number(x) => number(*x),
            Self::Text(name) => name.clone(),
        }
    }

    fn exact(&self) -> String {
        match self {
            Self::Number(x) => x.to_string(),
            Self::Text(name) => name.clone(),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let mut fitted = Fitted::open(&args.model, &mut out)?;
    fitted.look_at(&args.at)?;
    let person = People::read(&fitted, &args.who, &mut out)?.asked()?;
    let mut report = Report::new(&person, person.explain(seed)?);
    let of_people = fitted.many().filter(|_| args.who.given().is_none());
    report.willingness_to_pay = match (&args.price, of_people) {
        (None, _) => None,
        (Some(price), None) => Some(person.exchanged(price)?.into_iter().map(payment).collect()),
        (Some(price), Some(population)) => Some(among_people(population, price)?),
    };
    if out.json {
        return out.json(&report);
    }
    if args.csv {
        return out.csv(["what", "feature", "value", "mean", "sd", "low", "high"], report.rows().into_iter());
    }
    out.text(&report.text(&person, of_people.is_some()))
}

impl Report {
    fn new(person: &Person<'_>, found: Explanation) -> Self {
        let Explanation { weights, relevances, shares, effects, importances } = found;
        let importance = |(feature, mean, sd)| Importance { feature, mean, sd };
        Self {
            kernel: person.kernel_expression(),
            weights: weights.into_iter().map(|(feature, mean, sd)| estimate(feature, mean, sd)).collect(),
            relevances: relevances.into_iter().map(lengthscale).collect(),
            shares: shares.into_iter().map(|(term, share)| Share { term, share }).collect(),
            effects: effects.iter().map(curve).collect(),
            importances: importances.map(|all| all.into_iter().map(importance).collect()),
            willingness_to_pay: None,
        }
    }

    /// One table of everything, a number and its interval a row.
    fn rows(&self) -> Vec<[String; 7]> {
        let row = |what: &str, feature: &str, value: String, numbers: [Option<f64>; 4]| {
            let [mean, sd, low, high] = numbers.map(|x| x.map(|x| x.to_string()).unwrap_or_default());
            [what.to_owned(), feature.to_owned(), value, mean, sd, low, high]
        };
        let mut rows = Vec::new();
        for w in &self.weights {
            let numbers = [w.mean, w.sd, w.low, w.high].map(Some);
            rows.push(row("weight", &w.feature, String::new(), numbers));
        }
        for r in &self.relevances {
            rows.push(row(
                "relevance",
                &r.feature,
                r.lengthscale.to_string(),
                [Some(r.relevance), None, r.low, r.high],
            ));
        }
        for s in &self.shares {
            rows.push(row("share", &s.term, String::new(), [Some(s.share), None, None, None]));
        }
        for (effect, v) in self.effects.iter().flat_map(|e| e.values.iter().map(move |v| (e, v))) {
            let numbers = [v.mean, v.sd, v.low, v.high].map(Some);
            rows.push(row("effect", &effect.feature, v.value.exact(), numbers));
        }
        for i in self.importances.iter().flatten() {
            rows.push(row("importance", &i.feature, String::new(), [Some(i.mean), Some(i.sd), None, None]));
        }
        for p in self.willingness_to_pay.iter().flatten() {
            let numbers = [Some(p.value), None, p.low, p.high];
            rows.push(row("willingness to pay", &p.feature, String::new(), numbers));
        }
        rows
    }

    fn text(&self, person: &Person<'_>, of_people: bool) -> String {
        let mut text = format!("kernel {}\n", self.kernel);
        if self.effects.is_empty() {
            text += &format!(
                "\n{}",
                wrap(
                    "The items have no features, so that there is nothing to explain but who was preferred to whom."
                )
            );
        }
        let mut section = |title: &str, table: Table, note: &str| {
            text += &format!(
                "\n{title}\n{}{}",
                table.render(),
                if note.is_empty() { String::new() } else { wrap(note) }
            );
        };
        if !self.effects.is_empty() {
            section("Effects", self.effect_table(), EFFECTS);
        }
        if !self.weights.is_empty() {
            section("Weights of linear", self.weight_table(), WEIGHTS);
        }
        if let Some(payments) = &self.willingness_to_pay {
            let note = if of_people { PAYMENTS_OF_PEOPLE } else { PAYMENTS };
            section("Willingness to pay", payment_table(payments, of_people), note);
        }
        if !self.relevances.is_empty() {
            section("Relevance", self.relevance_table(), RELEVANCES);
        }
        if self.shares.len() > 1 {
            section("Share of the variance of utilities", self.share_table(), SHARES);
        }
        match &self.importances {
            Some(all) if !all.is_empty() => section("Importance", importance_table(all), IMPORTANCES),
            Some(_) => (),
            None => section("Importance", Table::new([]), NO_IMPORTANCES),
        }
        text + "\n" + &wrap(&units(person.hyperparameters()))
    }

    fn effect_table(&self) -> Table {
        let mut table = Table::new([
            ("feature", Side::Left),
            ("value", Side::Right),
            ("difference", Side::Right),
            ("95 % interval", Side::Left),
        ]);
        for effect in &self.effects {
            for (k, v) in effect.values.iter().enumerate() {
                let is_reference = v.value.exact() == effect.reference.exact();
                let numbers = match is_reference {
                    true => ["0".to_owned(), "reference".to_owned()],
                    false => [short(v.mean), interval(v.low, v.high)],
                };
                let name = if k == 0 { effect.feature.clone() } else { String::new() };
                table.push([name, v.value.text()].into_iter().chain(numbers));
            }
        }
        table
    }

    fn weight_table(&self) -> Table {
        let mut table = Table::new([
            ("feature", Side::Left),
            ("of one unit", Side::Right),
            ("± sd", Side::Left),
            ("95 % interval", Side::Left),
        ]);
        for w in &self.weights {
            let sd = format!("± {}", number(w.sd));
            table.push([
                w.feature.clone(),
                number(w.mean),
                sd,
                format!("{} to {}", number(w.low), number(w.high)),
            ]);
        }
        table
    }

    fn relevance_table(&self) -> Table {
        let mut table = Table::new([
            ("feature", Side::Left),
            ("kernel", Side::Left),
            ("lengthscale", Side::Right),
            ("relevance", Side::Right),
            ("95 % interval", Side::Left),
        ]);
        for r in &self.relevances {
            let interval = r.low.zip(r.high).map(|(low, high)| interval(low, high));
            table.push([
                r.feature.clone(),
                r.kernel.clone(),
                number(r.lengthscale),
                short(r.relevance),
                interval.unwrap_or_else(|| "not known".to_owned()),
            ]);
        }
        table
    }

    fn share_table(&self) -> Table {
        let mut table = Table::new([("term", Side::Left), ("share", Side::Right)]);
        for s in &self.shares {
            table.push([s.term.clone(), format!("{:.0} %", 100.0 * s.share)]);
        }
        table
    }
}

/// What one person would pay.
fn payment(of: Exchanged) -> Payment {
    let [low, high] = of.interval.map_or([None; 2], |interval| interval.map(Some));
    Payment { feature: of.name, value: of.value, low, high }
}

/// The median over people, and between which values four in five of them lie.
fn among_people(population: &Population, price: &str) -> Result<Vec<Payment>, Failure> {
    let mut all: Vec<(String, Vec<f64>)> = Vec::new();
    for user in 0..population.users().keys().len() {
        if population.answers().of_user(user).is_empty() {
            continue;
        }
        let person = Person::User(population, population.model().user(user)?);
        for (place, found) in person.exchanged(price)?.into_iter().enumerate() {
            if all.len() == place {
                all.push((found.name, Vec::new()));
            }
            all[place].1.push(found.value);
        }
    }
    let payment = |(feature, mut values): (String, Vec<f64>)| {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
        Payment { feature, value: at(0.5), low: Some(at(0.1)), high: Some(at(0.9)) }
    };
    Ok(all.into_iter().map(payment).collect())
}

fn payment_table(payments: &[Payment], of_people: bool) -> Table {
    let spread = if of_people { "four in five people" } else { "95 % interval" };
    let value = if of_people { "median person" } else { "one unit" };
    let mut table = Table::new([("feature", Side::Left), (value, Side::Right), (spread, Side::Left)]);
    for p in payments {
        let interval = p.low.zip(p.high).map(|(low, high)| format!("{} to {}", number(low), number(high)));
        table.push([p.feature.clone(), number(p.value), interval.unwrap_or_else(|| "not known".to_owned())]);
    }
    table
}

fn importance_table(all: &[Importance]) -> Table {
    let mut table = Table::new([("feature", Side::Left), ("loss", Side::Right), ("± sd", Side::Left)]);
    for i in all {
        table.push([i.feature.clone(), format!("{:.3}", i.mean), format!("± {:.3}", i.sd)]);
    }
    table
}

const EFFECTS: &str = "The utility with this value minus the utility of the same item with the reference value, other features at their medians or most common \
                       categories.";
const WEIGHTS: &str = "The utility of one unit of the column.";
const PAYMENTS: &str = "Units of the price that one unit of the column is worth: the ratio of their weights, with Fieller's interval; not known where the weight of the \
                        price may be zero.";
const PAYMENTS_OF_PEOPLE: &str = "Units of the price that one unit of the column is worth to the median person, and between which values four in five people lie: the ratio of \
                                  each person's mean weights.";
const RELEVANCES: &str = "The standard deviation of the column in lengthscales: utilities change quickly with a column of large relevance. The lengthscale is in units \
                          of the column. The interval is that of the relevance, from the posterior of the lengthscale; it is not known where that is fixed, and of one of \
                          many users, of a low-rank covariance, and of more than 700 items.";
const SHARES: &str = "Under the learned kernel, among the compared items.";
const IMPORTANCES: &str = "What the log loss of the answers that the model has learned from rises by (nats an answer) where the feature is exchanged among items at \
                           random.";
const NO_IMPORTANCES: &str = "Importance by permutation is for models of one person, without teams.";

fn estimate(feature: String, mean: f64, sd: f64) -> Estimate {
    Estimate { feature, mean, sd, low: mean - Z95 * sd, high: mean + Z95 * sd }
}

fn lengthscale(of: Relevance) -> Lengthscale {
    let [low, high] = of.interval().map_or([None; 2], |interval| interval.map(Some));
    let Relevance { feature, kernel, lengthscale, relevance, .. } = of;
    Lengthscale { feature, kernel, lengthscale, relevance, low, high }
}

fn curve(effect: &Effect) -> Curve {
    let moments = effect.difference.mean.iter().zip(&effect.difference.variance);
    let contrast = |(value, (&mean, variance)): (&FeatureValue, (&f64, &f64))| {
        let sd = variance.max(0.0).sqrt();
        Contrast { value: value.into(), mean, sd, low: mean - Z95 * sd, high: mean + Z95 * sd }
    };
    Curve {
        feature: effect.feature.clone(),
        reference: (&effect.reference).into(),
        values: effect.values.iter().zip(moments).map(contrast).collect(),
    }
}

/// Two decimals, and no minus before zero.
fn short(x: f64) -> String {
    let text = format!("{x:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

fn interval(low: f64, high: f64) -> String {
    format!("{} to {}", short(low), short(high))
}
