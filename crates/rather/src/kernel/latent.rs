//! Kernels as latent variables: which covariance functions are those of finitely many weights, or of a Markov process in time.
//!
//! A sum of products of `white`, `constant`, `linear` and processes in time is a linear function of independent Gaussian variables: utilities are
//! $f=\Phi w$ with a prior precision of $w$ that is diagonal, or a chain in time. Inference then costs what the sparse precision costs, not what the
//! covariance of all points does ([`crate::latent`]).

use super::process::Process;
use super::{Kernel, Node};

/// What an atom is, as latent variables.
#[derive(Debug, Clone, PartialEq)]
pub enum Latent {
    /// One variable for all.
    Constant,
    /// A variable for every item.
    Items,
    /// A variable for every combination of levels in these columns.
    Levels(Vec<usize>),
    /// A weight for every one of these columns, with the variance $1/l_c^2$ by its lengthscales (none: 1).
    Weights(Vec<usize>),
    /// A process in time.
    Process {
        /// Which.
        process: Process,
        /// The column that holds the time.
        column: usize,
        /// The column that holds the time at which the item's process starts, of those that have a start.
        start: Option<usize>,
    },
}

/// What a term multiplies its variable by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Carrier {
    /// By 1.
    One,
    /// By the value of a column, a variable a column; `lengthscales` are the places of their parameters.
    Weights { columns: Vec<usize>, lengthscales: Vec<usize> },
    /// The variable is the first component of a process's state; `lengthscale` is the place of its parameter.
    Process { process: Process, column: usize, start: Option<usize>, lengthscale: Option<usize> },
}

/// A term of a kernel as latent variables: independent copies of a carrier, one a group of points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    /// The places of the parameters whose product is its variance.
    pub(crate) variances: Vec<usize>,
    /// Whether points of different items are of different groups.
    pub(crate) by_item: bool,
    /// The columns in whose levels points of one group agree.
    pub(crate) levels: Vec<usize>,
    /// What the variable is multiplied by.
    pub(crate) carrier: Carrier,
}

impl Term {
    /// The product of two terms, if one of them has no more than groups.
    fn times(&self, other: &Self) -> Option<Self> {
        let carrier = match (&self.carrier, &other.carrier) {
            (carrier, Carrier::One) | (Carrier::One, carrier) => carrier.clone(),
            _ => return None,
        };
        let mut levels = [self.levels.as_slice(), &other.levels].concat();
        levels.sort_unstable();
        levels.dedup();
        let variances = [self.variances.as_slice(), &other.variances].concat();
        Some(Self { variances, by_item: self.by_item || other.by_item, levels, carrier })
    }

    /// Its variance at these parameters of the kernel.
    pub(crate) fn variance(&self, parameters: &[f64]) -> f64 {
        self.variances.iter().map(|&place| parameters[place]).product()
    }
}

impl Kernel {
    /// The kernel as a sum of terms with latent variables; `None` if it is not one.
    pub(crate) fn latent(&self) -> Option<Vec<Term>> {
        let terms = self.terms_from(0)?;
        // A process that starts with an item is that item's.
        let starts = |term: &Term| matches!(term.carrier, Carrier::Process { start: Some(_), .. });
        terms.iter().all(|term| term.by_item || !starts(term)).then_some(terms)
    }

    /// The same, its parameters counted from `first`.
    fn terms_from(&self, first: usize) -> Option<Vec<Term>> {
        match self.node() {
            Node::Atom(atom) => {
                let places = || (first..first + atom.parameters().len()).collect::<Vec<usize>>();
                let (by_item, levels, carrier) = match atom.latent()? {
                    Latent::Constant => (false, Vec::new(), Carrier::One),
                    Latent::Items => (true, Vec::new(), Carrier::One),
                    Latent::Levels(columns) => (false, columns, Carrier::One),
                    Latent::Weights(columns) => {
                        (false, Vec::new(), Carrier::Weights { columns, lengthscales: places() })
                    }
                    Latent::Process { process, column, start } => {
                        let lengthscale = places().first().copied();
                        (false, Vec::new(), Carrier::Process { process, column, start, lengthscale })
                    }
                };
                Some(vec![Term { variances: Vec::new(), by_item, levels, carrier }])
            }
            Node::Scaled(_, kernel) => {
                let mut terms = kernel.terms_from(first + 1)?;
                terms.iter_mut().for_each(|term| term.variances.insert(0, first));
                Some(terms)
            }
            Node::Sum(parts) => Some(each_from(parts, first)?.concat()),
            Node::Product(parts) => {
                each_from(parts, first)?.into_iter().try_fold(Vec::new(), |all, terms| {
                    if all.is_empty() {
                        return Some(terms);
                    }
                    all.iter().flat_map(|a: &Term| terms.iter().map(|b| a.times(b))).collect()
                })
            }
        }
    }
}

/// The terms of every part.
fn each_from(parts: &[Kernel], mut first: usize) -> Option<Vec<Vec<Term>>> {
    let one = |part: &Kernel| {
        let terms = part.terms_from(first);
        first += part.parameters().len();
        terms
    };
    parts.iter().map(one).collect()
}
