//! Kernels back to text.

use super::{Active, Kernel, Node, Schema, parse};

impl Kernel {
    /// The expression of this kernel: for a kernel made by [`parse`], one that gives it again (with its initial
    /// parameters, and the same `ard`). Variances are not written, as the language implies them.
    pub fn describe(&self, schema: &Schema) -> String {
        let short = self.write(schema, false, false);
        let ard = self.any_ard();
        let faithful = parse(&short, schema, ard).is_ok_and(|again| again.shape() == self.shape());
        if faithful { short } else { self.write(schema, true, false) }
    }

    /// Whether this is `white` and nothing else: items are known by name only.
    pub fn is_white(&self) -> bool {
        match self.node() {
            Node::Atom(atom) => atom.is_independent(),
            Node::Scaled(_, kernel) => kernel.is_white(),
            Node::Sum(parts) | Node::Product(parts) => matches!(parts, [only] if only.is_white()),
        }
    }

    /// The variance of a kernel that is `white` and nothing else.
    pub(crate) fn white_variance(&self) -> Option<f64> {
        match self.parameters().as_slice() {
            [variance] if self.is_white() => Some(variance.value),
            _ => None,
        }
    }

    fn write(&self, schema: &Schema, brackets: bool, in_product: bool) -> String {
        let all = |parts: &[Self], in_product: bool, sign: &str| {
            let parts: Vec<_> = parts.iter().map(|part| part.write(schema, brackets, in_product)).collect();
            parts.join(sign)
        };
        match self.node() {
            Node::Atom(atom) => {
                let columns = atom.active().map(|active| columns(active, schema, brackets));
                format!("{}{}", atom.name(), columns.unwrap_or_default())
            }
            Node::Scaled(_, kernel) => kernel.write(schema, brackets, in_product),
            Node::Sum(terms) if in_product => format!("({})", all(terms, false, " + ")),
            Node::Sum(terms) => all(terms, false, " + "),
            Node::Product(factors) => all(factors, true, " * "),
        }
    }

    #[doc(hidden)]
    pub fn any_ard(&self) -> bool {
        match self.node() {
            Node::Atom(atom) => atom.active().is_some_and(|active| active.lengthscales.len() > 1),
            Node::Scaled(_, kernel) => kernel.any_ard(),
            Node::Sum(parts) | Node::Product(parts) => parts.iter().any(Self::any_ard),
        }
    }

    /// This kernel with all parameters set to 1.
    fn shape(&self) -> Self {
        let mut shape = self.clone();
        shape.parameters_mut().into_iter().for_each(|value| *value = 1.0);
        shape
    }
}

/// The columns in brackets, or nothing if they are those that an atom without brackets acts on.
fn columns(active: &Active, schema: &Schema, brackets: bool) -> String {
    let first = active.dims.first().and_then(|&dim| schema.categorical.get(dim));
    if !brackets && first.is_some_and(|&kind| schema.columns(kind) == active.dims) {
        return String::new();
    }
    let name = |dim: usize| schema.names.get(dim).map_or(dim.to_string(), |name| quoted(name));
    // The first time of an item comes with its times.
    let is_first = |dim: usize| dim > 0 && schema.first_time(dim - 1) == Some(dim);
    let shown = active.dims.iter().copied().filter(|&dim| !is_first(dim));
    format!("[{}]", shown.map(name).collect::<Vec<_>>().join(", "))
}

/// A name as the language takes it, in quotes where it must be.
pub(crate) fn quoted(name: &str) -> String {
    if name.is_empty() || name.trim() != name || name.contains([',', '[', ']', '"']) {
        return format!("\"{}\"", name.replace('"', "\"\""));
    }
    name.to_owned()
}
