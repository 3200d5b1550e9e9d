//! The columns of encoded items.

/// The columns of encoded items that a kernel can name, one entry for each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schema {
    /// The name of each column.
    pub names: Vec<String>,
    /// Whether each column holds categories (indices of levels) instead of numbers.
    pub categorical: Vec<bool>,
}

impl Schema {
    /// The columns that hold categories, or those that hold numbers.
    pub(crate) fn columns(&self, categorical: bool) -> Vec<usize> {
        let kinds = self.categorical.iter().enumerate();
        kinds.filter(|(_, kind)| **kind == categorical).map(|(column, _)| column).collect()
    }
}
