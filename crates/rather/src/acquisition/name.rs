//! Acquisition functions by name.

use std::fmt;
use std::str::FromStr;

use super::Acquisition;
use crate::Error;

/// The names there are, with the settings they take if none is given.
const NAMES: &str = "bald, bald-quadrature, entropy, committee:10, ivm, random, ucb:2, improvement, absolute-ucb:1, \
                     absolute-improvement, eubo, qeubo:2, thompson, uncertain, believer, best";

impl fmt::Display for Acquisition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bald => f.write_str("bald"),
            Self::BaldQuadrature => f.write_str("bald-quadrature"),
            Self::Entropy => f.write_str("entropy"),
            Self::Committee { members } => write!(f, "committee:{members}"),
            Self::Ivm => f.write_str("ivm"),
            Self::Random => f.write_str("random"),
            Self::Ucb { kappa } => write!(f, "ucb:{kappa}"),
            Self::Improvement => f.write_str("improvement"),
            Self::AbsoluteUcb { alpha } => write!(f, "absolute-ucb:{alpha}"),
            Self::AbsoluteImprovement => f.write_str("absolute-improvement"),
            Self::Eubo => f.write_str("eubo"),
            Self::Qeubo { q } => write!(f, "qeubo:{q}"),
            Self::Thompson => f.write_str("thompson"),
            Self::Uncertain => f.write_str("uncertain"),
            Self::Believer => f.write_str("believer"),
            Self::Best => f.write_str("best"),
        }
    }
}

impl FromStr for Acquisition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::UnknownAcquisition { name: text.into(), known: NAMES };
        let (name, setting) = match text.trim().split_once(':') {
            Some((name, setting)) => (name.trim(), Some(setting.trim())),
            None => (text.trim(), None),
        };
        let whole = |default: usize, least: usize, most: usize| -> Result<usize, Error> {
            let Some(setting) = setting else { return Ok(default) };
            let allowed = |n: &usize| (least..=most).contains(n);
            setting.parse().ok().filter(allowed).ok_or_else(|| Error::AcquisitionSetting {
                acquisition: text.into(),
                expected: format!("a whole number from {least} to {most}"),
            })
        };
        let number = |default: f64| -> Result<f64, Error> {
            let Some(setting) = setting else { return Ok(default) };
            let allowed = |x: &f64| x.is_finite() && *x >= 0.0;
            setting.parse().ok().filter(allowed).ok_or_else(|| Error::AcquisitionSetting {
                acquisition: text.into(),
                expected: "a number from 0".into(),
            })
        };
        let found = match name.to_ascii_lowercase().as_str() {
            "committee" => return Ok(Self::Committee { members: whole(10, 2, 100_000)? }),
            "ucb" => return Ok(Self::Ucb { kappa: number(2.0)? }),
            "absolute-ucb" => return Ok(Self::AbsoluteUcb { alpha: number(1.0)? }),
            "qeubo" => return Ok(Self::Qeubo { q: whole(2, 2, 16)? }),
            "bald" => Self::Bald,
            "bald-quadrature" => Self::BaldQuadrature,
            "entropy" => Self::Entropy,
            "ivm" => Self::Ivm,
            "random" => Self::Random,
            "improvement" => Self::Improvement,
            "absolute-improvement" => Self::AbsoluteImprovement,
            "eubo" => Self::Eubo,
            "thompson" => Self::Thompson,
            "uncertain" => Self::Uncertain,
            "believer" => Self::Believer,
            "best" => Self::Best,
            _ => return Err(unknown()),
        };
        match setting {
            None => Ok(found),
            Some(_) => Err(Error::AcquisitionSetting {
                acquisition: text.into(),
                expected: format!("nothing: {found} has no setting"),
            }),
        }
    }
}

impl TryFrom<String> for Acquisition {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Acquisition> for String {
    fn from(acquisition: Acquisition) -> Self {
        acquisition.to_string()
    }
}
