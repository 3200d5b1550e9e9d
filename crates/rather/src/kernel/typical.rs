//! How large a utility each variance of a kernel stands for.

use super::{Kernel, Node};

impl Kernel {
    /// For each parameter, in the order of [`Kernel::parameters`]: if it is a variance, the variance of utilities that a value of 1 stands
    /// for, over items whose features have the standard deviations `spreads`; else 1.
    ///
    /// Of an atom it is [`Covariance::typical_variance`](super::Covariance). A linear one has $\sum_c s_c^2/l_c^2$, so that its variance times this is the variance of the sum of
    /// all features' effects, however many there are.
    pub(crate) fn typical_variances(&self, spreads: &[f64]) -> Vec<f64> {
        match self.node() {
            Node::Atom(atom) => vec![1.0; atom.parameters().len()],
            Node::Scaled(_, kernel) => {
                std::iter::once(kernel.typical(spreads)).chain(kernel.typical_variances(spreads)).collect()
            }
            Node::Sum(parts) | Node::Product(parts) => {
                parts.iter().flat_map(|part| part.typical_variances(spreads)).collect()
            }
        }
    }

    /// The variance of utilities at the kernel's own parameters.
    fn typical(&self, spreads: &[f64]) -> f64 {
        let typical = match self {
            Self::Atom(atom) => atom.0.typical_variance(spreads),
            Self::Scaled { variance, kernel } => variance * kernel.typical(spreads),
            Self::Sum(parts) => parts.iter().map(|part| part.typical(spreads)).sum(),
            Self::Product(parts) => parts.iter().map(|part| part.typical(spreads)).product(),
        };
        if typical > 0.0 { typical } else { 1.0 }
    }
}
