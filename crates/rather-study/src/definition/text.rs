//! A definition as a file: what is as usual is left out.

use super::{Answers, Definition, Items, Subject, Ties};
use crate::space::Space;
use rather::features::{Column, ColumnValues};
use serde::Serialize;
use toml::{Table, Value};

impl Definition {
    /// The definition as the TOML that [`read_toml_text`](super::read_toml_text) takes; entries with their usual value are left out.
    ///
    /// ```
    /// use rather_study::definition::{Definition, read_toml_text};
    ///
    /// let teas = Definition { title: "Teas".to_owned(), ..Definition::of_items(["Assam", "Oolong"]) };
    /// assert_eq!(read_toml_text(&teas.to_toml(), "teas.toml".as_ref())?, teas);
    /// # Ok::<(), rather_study::Error>(())
    /// ```
    #[must_use]
    pub fn to_toml(&self) -> String {
        let usual = Self::new(self.subject.clone()).asking(self.options, self.answers);
        let mut file = Table::new();
        put(&mut file, "title", &self.title, &usual.title);
        put(&mut file, "question", &self.question, &usual.question);
        put(&mut file, "seed", &self.seed, &usual.seed);
        put(&mut file, "time_limit", &self.time_limit, &usual.time_limit);
        put(&mut file, "options", &self.options, &2);
        put(&mut file, "within", &self.within, &None);
        let answers = if self.options > 2 { Answers::Best } else { Answers::default() };
        put(&mut file, "answers", &self.answers, &answers);
        put(&mut file, "ties", &self.ties, &Ties::default());
        put(&mut file, "inference", &self.inference, &usual.inference);
        put(&mut file, "half_life", &self.half_life, &None);
        put(&mut file, "drift", &self.drift, &None);
        let (name, subject) = match &self.subject {
            Subject::Items(items) => ("items", items_of(items)),
            Subject::Parameters(space) => ("parameters", parameters_of(space)),
        };
        file.insert(name.to_owned(), subject);
        put_differences(&mut file, "participants", &self.participants, &usual.participants);
        put_differences(&mut file, "policy", &self.policy, &usual.policy);
        put_differences(&mut file, "prior", &self.prior, &usual.prior);
        put_differences(&mut file, "stop", &self.stop, &usual.stop);
        put(&mut file, "presentation", &self.presentation, &usual.presentation);
        file.to_string()
    }
}

/// Writes an entry that is not as usual. What has no value is left out.
fn put<T: Serialize + PartialEq>(file: &mut Table, name: &str, value: &T, usual: &T) {
    if value != usual
        && let Ok(value) = Value::try_from(value)
    {
        file.insert(name.to_owned(), value);
    }
}

/// Writes the entries of a table that are not as usual.
fn put_differences<T: Serialize>(file: &mut Table, name: &str, value: &T, usual: &T) {
    let (Ok(mut table), Ok(usual)) = (Table::try_from(value), Table::try_from(usual)) else { return };
    table.retain(|name, value| usual.get(name) != Some(value));
    if !table.is_empty() {
        file.insert(name.to_owned(), Value::Table(table));
    }
}

fn parameters_of(space: &Space) -> Value {
    let one = |p: &crate::space::Parameter| Some((p.name.clone(), Value::try_from(&p.range).ok()?));
    Value::Table(space.parameters.iter().filter_map(one).collect())
}

/// Names alone, or a table for each item.
fn items_of(items: &Items) -> Value {
    let name = |key: &String| Value::String(key.clone());
    if items.columns.is_empty() {
        return Value::Array(items.keys.iter().map(name).collect());
    }
    let row = |(i, key): (usize, &String)| {
        let features = items.columns.iter().map(|column| (column.name.clone(), value_of(column, i)));
        Value::Table(std::iter::once(("name".to_owned(), name(key))).chain(features).collect())
    };
    Value::Array(items.keys.iter().enumerate().map(row).collect())
}

fn value_of(column: &Column, item: usize) -> Value {
    match &column.values {
        ColumnValues::Numeric(x) => Value::Float(x[item]),
        ColumnValues::Text(x) => Value::String(x[item].clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Pooling, read_toml_text};

    #[test]
    fn what_is_written_is_read_again() {
        let texts = [
            "title = \"Gain\"\n[parameters]\ngain = { type = \"float\", low = 0.5, high = 20, scale = \"log\" }\nmode = { type = \"categorical\", choices = [\"a\", \"b\"] }\nn = { type = \"integer\", low = 1, high = 4 }\n",
            "within = \"colour\"\n[[items]]\nname = \"a\"\ncolour = \"red\"\n[[items]]\nname = \"b\"\ncolour = \"red\"\n",
            "items = [\"Assam\", \"Oolong\", \"Sencha\"]\noptions = 3\nanswers = \"best and worst\"\n",
            "answers = \"graded\"\nhalf_life = 50\n[[items]]\nname = \"a\"\nprice = 2\nfile = \"a.wav\"\n[[items]]\nname = \"b\"\nprice = 3.5\nfile = \"b.wav\"\n[presentation]\nmedia = \"file\"\nblind = false\n[stop]\nanswers = 12\n[participants]\nnames = [\"ann\"]\nmodel = \"together\"\n[policy]\nopponent = \"any\"\n[prior]\nadditive = true\n",
        ];
        for text in texts {
            let path = "study.toml".as_ref();
            let definition = read_toml_text(text, path).unwrap();
            let written = definition.to_toml();
            assert_eq!(read_toml_text(&written, path).unwrap(), definition, "{written}");
        }
        let plain = Definition::of_items(["a", "b"]);
        assert_eq!(plain.to_toml(), "items = [\"a\", \"b\"]\n", "what is as usual is left out");
        assert_ne!(plain.participants.model, Pooling::Together);
    }
}
