//! The columns of encoded items.

/// The columns of encoded items that a kernel can name, one entry for each: the items' features, then the columns of comparisons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schema {
    /// The name of each column.
    pub names: Vec<String>,
    /// Whether each column holds categories (indices of levels) instead of numbers.
    pub categorical: Vec<bool>,
    /// How many of them, the last ones, are columns of comparisons. A kernel acts on these only where it names them.
    pub context: usize,
}

/// The name of the column beside a time: the first time of the same item. No kernel can name it.
pub(crate) const FIRST_TIME: &str = "";

impl Schema {
    /// The features that hold categories, or those that hold numbers.
    pub(crate) fn columns(&self, categorical: bool) -> Vec<usize> {
        let kinds = self.categorical.iter().enumerate().take(self.features());
        kinds.filter(|(_, kind)| **kind == categorical).map(|(column, _)| column).collect()
    }

    /// How many of the columns, the first ones, are features of items.
    pub(crate) fn features(&self) -> usize {
        self.names.len() - self.context
    }

    /// Where the first time of each item stands, for a column of times.
    pub(crate) fn first_time(&self, column: usize) -> Option<usize> {
        let next = column + 1;
        (column >= self.features() && self.names.get(next).is_some_and(|name| name == FIRST_TIME))
            .then_some(next)
    }

    /// The names of the columns that a kernel may name, for a sentence.
    pub(crate) fn known(&self) -> String {
        let names: Vec<&str> =
            self.names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        names.join(", ")
    }
}
