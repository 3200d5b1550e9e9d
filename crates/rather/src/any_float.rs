//! Numbers in reports as files hold them. JSON knows no infinity and nothing that is not a number: those are words there, so that
//! every report can be read again. `null`, which earlier versions wrote, is read as not a number.

use serde::{Deserialize, Deserializer, Serializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Word(String),
    Nothing(()),
}

pub(crate) fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
    if x.is_finite() { to.serialize_f64(*x) } else { to.serialize_str(&x.to_string()) }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    match Written::deserialize(from)? {
        Written::Number(x) => Ok(x),
        Written::Nothing(()) => Ok(f64::NAN),
        Written::Word(word) => {
            word.parse().map_err(|_| serde::de::Error::custom(format!("{word:?} is not a number")))
        }
    }
}

/// The same for several numbers.
pub(crate) mod list {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct One(#[serde(with = "super")] f64);

    pub(crate) fn serialize<S: Serializer>(all: &[f64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|&x| One(x)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<One>::deserialize(from)?.into_iter().map(|One(x)| x).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Report {
        #[serde(with = "super")]
        residual: f64,
        #[serde(with = "super::list")]
        starts: Vec<f64>,
    }

    #[test]
    fn every_number_is_read_as_it_was_written() {
        for x in [0.1, -1e300, 5.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MIN_POSITIVE] {
            let text = serde_json::to_string(&Report { residual: x, starts: vec![x, 1.0] }).unwrap();
            let again: Report = serde_json::from_str(&text).unwrap();
            assert_eq!(again.residual.to_bits(), x.to_bits(), "{text}");
            assert_eq!(again.starts[0].to_bits(), x.to_bits(), "{text}");
        }
        let of_earlier: Report = serde_json::from_str(r#"{"residual":null,"starts":[]}"#).unwrap();
        assert!(of_earlier.residual.is_nan());
        assert!(serde_json::from_str::<Report>(r#"{"residual":"many","starts":[]}"#).is_err());
    }
}
