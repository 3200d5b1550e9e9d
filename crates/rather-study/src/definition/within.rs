//! Comparisons within groups of items: those with the same value in one column.

use super::{Definition, Fault, Subject, fault};
use rather::features::ColumnValues;
use rather_io::quote;
use std::collections::BTreeMap;

impl Definition {
    /// The groups of items that are compared with each other, by their numbers, in the order of their first items; `None` if any items are.
    pub fn groups(&self) -> Option<Vec<Vec<usize>>> {
        let Subject::Items(items) = &self.subject else { return None };
        let column = items.columns.iter().find(|column| Some(&column.name) == self.within.as_ref())?;
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for item in 0..items.keys.len() {
            let place = *places.entry(value(&column.values, item)).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(item);
        }
        Some(groups)
    }

    /// What the options of a question share if `key` is one of them: the column and its value.
    pub fn shared(&self, key: &str) -> Option<(&str, String)> {
        let Subject::Items(items) = &self.subject else { return None };
        let column = items.columns.iter().find(|column| Some(&column.name) == self.within.as_ref())?;
        let item = items.keys.iter().position(|other| other == key)?;
        Some((&column.name, value(&column.values, item)))
    }

    /// There is such a column, and every group has enough items for a question.
    pub(super) fn check_within(&self) -> Result<(), Fault> {
        let Some(name) = &self.within else { return Ok(()) };
        let Subject::Items(items) = &self.subject else {
            let problem =
                "within names a column of items, and this study compares settings of parameters; remove it";
            return Err(fault(["within"], problem));
        };
        let Some(groups) = self.groups() else {
            let known: Vec<String> = items.columns.iter().map(|column| column.name.clone()).collect();
            let remedy = match known.as_slice() {
                [] => "the items are names alone; give them as a table".to_owned(),
                known => format!("the columns are {}", rather_io::list(known)),
            };
            return Err(fault(["within"], format!("the items have no column {}; {remedy}", quote(name))));
        };
        let options = self.options;
        match groups.iter().find(|group| group.len() < options) {
            None => Ok(()),
            Some(group) => {
                let key = &items.keys[group[0]];
                let value = self.shared(key).map(|(_, value)| value).unwrap_or_default();
                let there = match group.len() {
                    1 => format!("only one item, {}", quote(key)),
                    n => format!("only {n} items"),
                };
                let problem = format!(
                    "{name} {} has {there}, and a question is about {options}; add an item, or remove these",
                    quote(&value)
                );
                Err(fault(["within"], problem))
            }
        }
    }
}

fn value(values: &ColumnValues, item: usize) -> String {
    match values {
        ColumnValues::Numeric(x) => x[item].to_string(),
        ColumnValues::Text(x) => x[item].clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::Definition;
    use crate::definition::read_toml_text;

    fn read(within: &str, colours: [&str; 4]) -> Result<Definition, String> {
        let item =
            |(i, colour): (usize, &&str)| format!("[[items]]\nname = \"i{i}\"\ncolour = \"{colour}\"\n");
        let items: String = colours.iter().enumerate().map(item).collect();
        let text = format!("within = \"{within}\"\n{items}");
        read_toml_text(&text, "s.toml".as_ref()).map_err(|error| error.to_string())
    }

    #[test]
    fn groups_are_the_items_of_one_value() {
        let definition = read("colour", ["red", "blue", "red", "blue"]).unwrap();
        assert_eq!(definition.groups(), Some(vec![vec![0, 2], vec![1, 3]]));
        assert_eq!(definition.shared("i3"), Some(("colour", "blue".to_owned())));
        assert_eq!(Definition::of_items(["a", "b"]).groups(), None);
    }

    #[test]
    fn a_column_that_is_none_and_a_group_of_one_are_refused() {
        let none = read("size", ["red", "blue", "red", "blue"]).unwrap_err();
        assert!(
            none.contains("line 1, column 1: the items have no column \"size\"; the columns are \"colour\""),
            "{none}"
        );
        let one = read("colour", ["red", "red", "red", "blue"]).unwrap_err();
        assert!(
            one.contains("colour \"blue\" has only one item, \"i3\", and a question is about 2"),
            "{one}"
        );
    }
}
