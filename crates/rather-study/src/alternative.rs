//! What is compared: an item of a list, or a setting of parameters.

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// One side of a duel. In JSON an item is a text and a setting an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Alternative {
    /// The item with this key.
    Item(String),
    /// A value for every parameter.
    Setting(Setting),
}

/// A value for every parameter, in the order of the parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Names and values.
    pub values: Vec<(String, Value)>,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A choice.
    Text(String),
}

/// The options of a question in the order in which they are shown: the two sides, and the others of a set.
pub(crate) fn options<'a>(
    left: &'a Alternative,
    right: &'a Alternative,
    others: &'a [Alternative],
) -> impl Iterator<Item = &'a Alternative> + Clone {
    [left, right].into_iter().chain(others)
}

impl Value {
    /// The value as a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(x) => Some(*x as f64),
            Self::Float(x) => Some(*x),
            Self::Text(_) => None,
        }
    }

    /// The value as a whole number, if it is one.
    pub fn whole(&self) -> Option<i64> {
        match self {
            Self::Integer(x) => Some(*x),
            // Beyond 2^53 not every whole number is an `f64`.
            Self::Float(x) if x.fract() == 0.0 && x.abs() <= 9e15 => Some(*x as i64),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(x) => write!(f, "{x}"),
            Self::Float(x) => write!(f, "{x}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Setting {
    /// The value of the parameter called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{}{name} = {value}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Item(key) => f.write_str(key),
            Self::Setting(setting) => setting.fmt(f),
        }
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.values.len()))?;
        for (name, value) in &self.values {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Setting;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of parameters and values")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Setting, A::Error> {
                let mut values = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    values.push(entry);
                }
                Ok(Setting { values })
            }
        }
        from.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_tells_items_and_settings_apart() {
        let item = Alternative::Item("tea \"1\"".into());
        assert_eq!(serde_json::to_string(&item).unwrap(), r#""tea \"1\"""#);
        let text = r#"{"z":5.0,"a":3,"mode":"fine"}"#;
        let setting: Alternative = serde_json::from_str(text).unwrap();
        assert_eq!(setting.to_string(), "z = 5, a = 3, mode = fine");
        assert_eq!(serde_json::to_string(&setting).unwrap(), text);
        assert_eq!(
            serde_json::from_str::<Alternative>(&serde_json::to_string(&item).unwrap()).unwrap(),
            item
        );
        assert!(serde_json::from_str::<Alternative>("[1]").is_err());
    }
}
