//! A kind of answer of a user's own: from a table to a model file and back, without a change to the library or the reader.

use rather::features::{Column, ColumnValues};
use rather::learn::Hyperparameter;
use rather::likelihood::{
    Kind, Likelihood, LogDensity, NO_SLOPES, Parameter, Reply, Response, ResponseLikelihood, Setting, Survey,
    register,
};
use rather::model::{FitSettings, Items, Model};
use rather_io::{ItemTable, Reading, Tied};

/// An item was taken `times`, a Poisson number of mean `rate exp(z)`.
struct Taken {
    times: f64,
    rate: f64,
}

const LOG_RATE: usize = 1;

impl Likelihood for Taken {
    fn log_density(&self, z: f64) -> LogDensity {
        let mean = self.rate * z.exp();
        let mut out = LogDensity {
            value: self.times * (self.rate.ln() + z) - mean,
            first: self.times - mean,
            precision: mean,
            third: -mean,
            value_d: NO_SLOPES,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        (out.value_d[LOG_RATE], out.first_d[LOG_RATE]) = (self.times - mean, -mean);
        out.precision_d[LOG_RATE] = mean;
        out
    }
}

/// How many times an item was taken: tables have it in the column `taken`.
#[derive(Debug)]
struct Times;

impl Response for Times {
    fn name(&self) -> &'static str {
        "times-taken"
    }

    fn column(&self) -> Option<&'static str> {
        Some("taken")
    }

    fn read(&self, cell: &str) -> Result<f64, &'static str> {
        cell.parse::<u32>().map(f64::from).map_err(|_| "must be a whole number, how many times it was taken")
    }

    fn accepts(&self, datum: f64) -> bool {
        datum >= 0.0 && datum.fract() == 0.0
    }

    fn parameters(&self, _: &Survey<'_>) -> Vec<Hyperparameter> {
        vec![Hyperparameter::positive("taken.rate", 3.0, 2.0)]
    }

    fn likelihood(&self, reply: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let rate = at.find("taken.rate");
        let taken = Taken { times: reply.datum, rate: rate.map_or(1.0, |r: Parameter| r.value) };
        let stated = ResponseLikelihood::new(Box::new(taken));
        rate.into_iter().fold(stated, |stated, rate| stated.on_log(LOG_RATE, rate))
    }
}

#[test]
fn a_kind_of_answer_of_ones_own_goes_from_a_table_to_a_model_file_and_back() {
    register(&Times).unwrap();
    register(&Times).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sold.csv");
    let keys: Vec<String> = ["tea", "coffee", "wine", "water"].map(str::to_owned).to_vec();
    let known = ItemTable::new("the table".into(), "item".to_owned(), keys.clone(), Vec::new()).unwrap();
    std::fs::write(&path, "item,taken,user\ntea,9,ann\ncoffee,five,ann\n").unwrap();
    let wrong = rather_io::read_answers(&path, &known, &Reading::ANY).unwrap_err().to_string();
    assert!(wrong.ends_with("\"five\" must be a whole number, how many times it was taken"), "{wrong}");
    assert!(wrong.contains("line 3"), "{wrong}");
    std::fs::write(&path, "item,taken\ntea,9\ncoffee,5\nwine,2\nwater,1\ntea,7\n").unwrap();
    let read = rather_io::read_answers(&path, &known, &Reading::ANY).unwrap();
    let found = rather_io::settle(vec![read], Tied::Kept).unwrap();
    assert!(found.answers.iter().all(|answer| answer.reply.kind == Kind(&Times)));
    let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0, 4.0]) };
    let items = Items { keys, columns: vec![price] };
    let model = Model::fit_given(&items, found.answers, &[], &FitSettings::default(), &|_| ()).unwrap();
    let ranking: Vec<usize> = model.rank(model.points()).iter().map(|r| r.item).collect();
    assert_eq!(ranking, [0, 1, 2, 3]);
    assert!(model.reported_hyperparameters().iter().any(|(name, rate)| name == "taken.rate" && *rate > 0.0));
    let file = folder.path().join("sold.rather");
    rather_io::save_model(&file, &model).unwrap();
    let again = rather_io::load_model(&file).unwrap();
    assert_eq!(again.utilities(again.points()), model.utilities(model.points()));
}
