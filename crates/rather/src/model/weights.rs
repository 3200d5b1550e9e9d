//! What a unit of a column is worth: the weights of `linear`.

use super::Model;
use crate::kernel::{Carrier, Kernel};
use crate::points::Points;

impl Model {
    /// The weights of the columns that a term `linear` of the kernel looks at and no other term does: for each its name, and the posterior mean and
    /// standard deviation of the utility of one unit of it, in the units of the table.
    ///
    /// It is the difference of one item to itself where the column is one unit larger, so that it holds for every way of inference and averages over what
    /// predictions average over.
    ///
    /// # Examples
    /// ```
    /// use rather::Comparison;
    /// use rather::features::{Column, ColumnValues};
    /// use rather::learn::choice::{KernelChoice, KernelSpec};
    /// use rather::model::{FitSettings, Items, Model};
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 4.0]) };
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![price] };
    /// let cheaper = |winner, loser| Comparison { winner, loser, count: 5.0 };
    /// let kernel = KernelChoice::Given(KernelSpec { expression: "linear + white".into(), ard: false });
    /// let settings = FitSettings { kernel, ..FitSettings::default() };
    /// let model = Model::fit(&items, &[cheaper(0, 1), cheaper(1, 2)], &settings, &|_| ())?;
    /// let (name, mean, sd) = &model.weights()[0];
    /// assert!(name == "price" && *mean < 0.0 && *sd > 0.0);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn weights(&self) -> Vec<(String, f64, f64)> {
        let terms = self.hyperparameters.kernel.terms();
        let (schema, units) = (self.items.schema(), self.items.units());
        let alone = |own: usize, column: &usize| {
            terms.iter().enumerate().all(|(k, term)| k == own || !term.columns().contains(column))
        };
        let columns = terms.iter().enumerate().flat_map(|(k, term)| {
            let mut columns = weighed_columns(term);
            columns.retain(|column| alone(k, column));
            columns
        });
        columns
            .map(|column| {
                let (mean, sd) = self.one_unit(column, units[column]);
                (schema.names[column].clone(), mean, sd)
            })
            .collect()
    }

    /// The mean and standard deviation of what one unit of a column adds.
    fn one_unit(&self, column: usize, unit: f64) -> (f64, f64) {
        let points = self.points();
        let mut more = points.row(0).to_vec();
        more[column] += 1.0 / unit;
        let id = points.id(0);
        let rows = [more.as_slice(), points.row(0)].concat();
        let z = self.belief.differences(&Points::new(vec![id, id], points.dims(), rows), &[(0, 1)]);
        (z.mean[0], z.variance[0].max(0.0).sqrt())
    }
}

/// The columns of a term that is a weighted sum of them, the same for all items.
fn weighed_columns(term: &Kernel) -> Vec<usize> {
    match term.latent().as_deref() {
        Some([only]) if !only.by_item && only.levels.is_empty() => match &only.carrier {
            Carrier::Weights { columns, .. } => columns.clone(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
