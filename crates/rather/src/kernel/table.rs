//! The atoms that kernel expressions and model files know, by name.

use std::sync::{PoisonError, RwLock};

use super::atom::Covariance;
use super::{
    Active, categorical, constant, linear, matern, multiscale, periodic, rational_quadratic,
    squared_exponential, white, wiener,
};
use crate::Error;

/// What an atom looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// No feature at all.
    Identity,
    /// Numbers, by their differences.
    Differences,
    /// Numbers, by their values.
    Numbers,
    /// Categories.
    Categories,
    /// A time at which comparisons were made, and the first time of each item.
    Time,
}

/// A kind of atom: its names, and how one is made.
#[derive(Debug)]
pub struct AtomKind {
    /// Its name in a kernel expression: letters, digits and underscores.
    pub name: &'static str,
    /// Other names of the same.
    pub aliases: &'static [&'static str],
    /// Its name in a model file, which stays what it is.
    pub key: &'static str,
    /// What it looks at.
    pub domain: Domain,
    /// Which functions it stands for, in a few words.
    pub meaning: &'static str,
    /// The atom on these columns, with these lengthscales; parameters of its own are where learning starts.
    pub make: fn(Active) -> Box<dyn Covariance>,
}

/// The atoms of the library. A new one is a file beside this and a line here.
pub static ATOMS: &[&AtomKind] = &[
    &squared_exponential::ATOM,
    &matern::MATERN12,
    &matern::MATERN32,
    &matern::MATERN52,
    &rational_quadratic::ATOM,
    &multiscale::ATOM,
    &periodic::ATOM,
    &linear::ATOM,
    &constant::ATOM,
    &white::ATOM,
    &white::LEVELS,
    &wiener::WIENER,
    &wiener::INTEGRATED_WIENER,
    &categorical::ATOM,
];

/// Those of a user's own.
static OWN: RwLock<Vec<&'static AtomKind>> = RwLock::new(Vec::new());

/// Makes a kind of atom of one's own known to kernel expressions and model files, in this process. The same kind may be registered again.
///
/// # Errors
/// [`Error::KernelName`] if another one has one of its names.
pub fn register(kind: &'static AtomKind) -> Result<(), Error> {
    let names = |kind: &'static AtomKind| kind.names().chain([kind.key]);
    let mut own = OWN.write().unwrap_or_else(PoisonError::into_inner);
    if own.iter().any(|known| std::ptr::eq(*known, kind)) {
        return Ok(());
    }
    let taken = |name: &str| ATOMS.iter().chain(own.iter()).any(|known| names(known).any(|n| n == name));
    if let Some(name) = names(kind).find(|name| taken(name)) {
        return Err(Error::KernelName { name });
    }
    own.push(kind);
    Ok(())
}

/// The first kind that `is` one that is looked for.
pub(super) fn find(is: impl Fn(&AtomKind) -> bool) -> Option<&'static AtomKind> {
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    ATOMS.iter().chain(own.iter()).copied().find(|kind| is(kind))
}

/// What other programs call kernels that have another name here, or come in several.
const ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "se",
        &[
            "rbf",
            "gaussian",
            "gauss",
            "squared_exponential",
            "exponentiated_quadratic",
            "expquad",
            "exp_quad",
        ],
    ),
    ("matern12", &["exponential", "laplacian", "ou", "ornstein_uhlenbeck"]),
    ("matern52", &["matern", "matern_52", "matern5_2", "mat52"]),
    ("matern32", &["matern_32", "matern3_2", "mat32"]),
    ("rq", &["rational_quadratic", "ratquad"]),
    ("periodic", &["exp_sine_squared", "cosine"]),
    ("linear", &["dot", "dot_product", "dotproduct", "lin"]),
    ("white", &["iid", "noise", "random_effect"]),
    ("constant", &["bias", "const"]),
    ("wiener", &["random_walk", "bm"]),
    ("categorical", &["category", "hamming", "overlap"]),
];

/// The kernel that was probably meant by a name that is none.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    ELSEWHERE.iter().find(|(_, others)| others.contains(&name.as_str())).map(|(known, _)| *known)
}

/// All names, for a sentence.
pub(super) fn known() -> String {
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    let mut names: Vec<&str> = ATOMS.iter().chain(own.iter()).flat_map(|kind| kind.names()).collect();
    // Effects of items and of levels have one name.
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    names.join(", ")
}

impl AtomKind {
    /// Its names in a kernel expression.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}
