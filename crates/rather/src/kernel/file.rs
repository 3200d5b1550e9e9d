//! Kernels in files: a tagged tree, whose leaves are atoms with their columns and the values of their parameters.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{EnumAccess, Error as _, VariantAccess, Visitor};
use serde::ser::{SerializeMap, SerializeStructVariant};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::atom::{Atom, Covariance};
use super::table::{AtomKind, Domain, find};
use super::{Active, Kernel};

const NAME: &str = "Kernel";

impl Serialize for Kernel {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Atom(Atom(atom)) => {
                // Effects of levels have the name of those of items, which have no columns.
                let same = |kind: &AtomKind| {
                    kind.name == atom.name() && (kind.domain == Domain::Identity) == atom.active().is_none()
                };
                let key = find(same).map_or(atom.name(), |kind| kind.key);
                match atom.active() {
                    None => to.serialize_unit_variant(NAME, 0, key),
                    Some(active) => {
                        to.serialize_newtype_variant(NAME, 0, key, &Written(atom.as_ref(), active))
                    }
                }
            }
            Self::Scaled { variance, kernel } => {
                let mut out = to.serialize_struct_variant(NAME, 0, "scaled", 2)?;
                out.serialize_field("variance", variance)?;
                out.serialize_field("kernel", kernel)?;
                out.end()
            }
            Self::Sum(parts) => to.serialize_newtype_variant(NAME, 0, "sum", parts),
            Self::Product(parts) => to.serialize_newtype_variant(NAME, 0, "product", parts),
        }
    }
}

/// The columns and parameters of an atom.
struct Written<'a>(&'a dyn Covariance, &'a Active);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self(atom, active) = self;
        let mut out = to.serialize_map(None)?;
        out.serialize_entry("dims", &active.dims)?;
        out.serialize_entry("lengthscales", &active.lengthscales)?;
        for parameter in atom.parameters().iter().skip(active.lengthscales.len()) {
            out.serialize_entry(&parameter.name, &parameter.value)?;
        }
        out.end()
    }
}

/// The same, as read.
#[derive(Deserialize)]
struct Read {
    dims: Vec<usize>,
    lengthscales: Vec<f64>,
    #[serde(flatten)]
    others: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Scaled {
    variance: f64,
    kernel: Box<Kernel>,
}

impl<'de> Deserialize<'de> for Kernel {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // The names are not a fixed list: somebody may have atoms of their own.
        from.deserialize_enum(NAME, &[], Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Kernel;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a kernel")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Kernel, A::Error> {
        let (key, variant) = data.variant::<String>()?;
        match key.as_str() {
            "scaled" => {
                let Scaled { variance, kernel } = variant.newtype_variant()?;
                return Ok(Kernel::Scaled { variance, kernel });
            }
            "sum" => return Ok(Kernel::Sum(variant.newtype_variant()?)),
            "product" => return Ok(Kernel::Product(variant.newtype_variant()?)),
            _ => {}
        }
        let unknown = || A::Error::custom(format!("no kernel is called {key}"));
        let kind = find(|kind| kind.key == key).ok_or_else(unknown)?;
        if kind.domain == Domain::Identity {
            variant.unit_variant()?;
            return Ok(Kernel::Atom(Atom((kind.make)(Active::isotropic(Vec::new(), 1.0)))));
        }
        let Read { dims, lengthscales, others } = variant.newtype_variant()?;
        let scales = lengthscales.len();
        let mut atom = (kind.make)(Active { dims, lengthscales });
        let names: Vec<String> = atom.parameters().into_iter().map(|parameter| parameter.name).collect();
        if names.iter().filter(|name| *name == "lengthscale").count() != scales {
            return Err(A::Error::custom(format!("the kernel {key} has other lengthscales")));
        }
        for (name, place) in names.iter().zip(atom.parameters_mut()).skip(scales) {
            let missing = || A::Error::custom(format!("the kernel {key} has no {name}"));
            *place = *others.get(name).ok_or_else(missing)?;
        }
        Ok(Kernel::Atom(Atom(atom)))
    }
}
