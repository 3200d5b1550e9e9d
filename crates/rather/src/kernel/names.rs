//! Full names of a kernel's parameters.

use super::{Kernel, Node, Schema};

/// A parameter on its way to a full name.
struct Draft {
    base: String,
    dim: Option<usize>,
    /// The place of its atom among all atoms; a variance belongs to the first atom that it scales.
    owner: usize,
}

impl Kernel {
    /// The full names of all parameters, in the order of [`Kernel::parameters`], no two alike.
    ///
    /// A name is `variance`, `lengthscale`, `period` or `alpha`. If several atoms have a parameter of that name, the
    /// atom comes first: `se.lengthscale`, `linear.variance` (the variance of a product goes by its first atom); the
    /// second atom of a kind is `se2` (`matern32_2`). If an atom has several lengthscales, each names its feature:
    /// `lengthscale[price]`.
    ///
    /// # Examples
    /// ```
    /// use rather::kernel::{parse, Schema};
    ///
    /// let schema = Schema { names: vec!["price".into(), "size".into()], categorical: vec![false, false], context: 0 };
    /// let names = |text: &str| parse(text, &schema, true).unwrap().parameter_names(&schema);
    /// assert_eq!(names("se"), ["variance", "lengthscale[price]", "lengthscale[size]"]);
    /// assert_eq!(
    ///     names("se[price] + se[size]"),
    ///     ["se.variance", "se.lengthscale", "se2.variance", "se2.lengthscale"]
    /// );
    /// ```
    pub fn parameter_names(&self, schema: &Schema) -> Vec<String> {
        let (mut drafts, mut atoms) = (Vec::new(), Vec::new());
        self.draft(&mut drafts, &mut atoms);
        let name = |draft: &Draft| {
            let alike = || drafts.iter().filter(|other| other.base == draft.base);
            let mut name = draft.base.clone();
            if alike().any(|other| other.owner != draft.owner) {
                name = format!("{}.{name}", label(&atoms, draft.owner));
            }
            if let Some(dim) = draft.dim.filter(|_| alike().filter(|o| o.owner == draft.owner).count() > 1) {
                name += &format!("[{}]", schema.names.get(dim).unwrap_or(&dim.to_string()));
            }
            name
        };
        distinct(drafts.iter().map(name).collect())
    }

    fn draft(&self, drafts: &mut Vec<Draft>, atoms: &mut Vec<&'static str>) {
        match self.node() {
            Node::Atom(atom) => {
                let owner = atoms.len();
                atoms.push(atom.name());
                let draft = |p: super::Parameter| Draft { base: p.name, dim: p.dim, owner };
                drafts.extend(atom.parameters().into_iter().map(draft));
            }
            Node::Scaled(_, kernel) => {
                drafts.push(Draft { base: "variance".into(), dim: None, owner: atoms.len() });
                kernel.draft(drafts, atoms);
            }
            Node::Sum(parts) | Node::Product(parts) => {
                parts.iter().for_each(|part| part.draft(drafts, atoms));
            }
        }
    }
}

/// The name of an atom, with a number from the second of its kind on.
fn label(atoms: &[&'static str], owner: usize) -> String {
    let Some(atom) = atoms.get(owner) else { return "kernel".into() };
    let number = atoms[..=owner].iter().filter(|other| *other == atom).count();
    match (number, atom.ends_with(|c: char| c.is_ascii_digit())) {
        (1, _) => (*atom).into(),
        (_, false) => format!("{atom}{number}"),
        (_, true) => format!("{atom}_{number}"),
    }
}

/// Numbers names that occur twice: only kernels that no expression gives have any, as a scaled kernel scaled again.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let numbered = (2..).map(|k| format!("{name}#{k}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !unique.contains(name));
        unique.extend(free);
    }
    unique
}
