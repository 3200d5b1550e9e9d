//! Items as a kernel sees them: rows of encoded feature values, each with an identity.

/// `n` items: row `i` holds the encoded features of item `i` (numbers standardised or raw, categories as
/// the index of their level), and `id(i)` tells items apart that have the same features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    ids: Vec<u64>,
    dims: usize,
    values: Vec<f64>,
}

impl Points {
    /// Items with identities `ids` and `dims` features each, `values` row by row.
    ///
    /// # Panics
    /// If `values` does not have `ids.len() * dims` entries: a mistake of the calling code, never of data.
    pub fn new(ids: Vec<u64>, dims: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), ids.len() * dims, "values must hold dims numbers for every id");
        Self { ids, dims, values }
    }

    /// Items numbered from 0 with the given rows of features.
    pub fn from_rows<const D: usize>(rows: &[[f64; D]]) -> Self {
        Self::new((0..rows.len() as u64).collect(), D, rows.iter().flatten().copied().collect())
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Number of features of an item.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The features of item `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.dims..(i + 1) * self.dims]
    }

    /// The identity of item `i`.
    pub fn id(&self, i: usize) -> u64 {
        self.ids[i]
    }

    /// The groups of two and more items that have the same features, by their positions.
    pub fn equals(&self) -> Vec<Vec<usize>> {
        let order = |a: usize, b: usize| {
            let pairs = self.row(a).iter().zip(self.row(b));
            pairs.map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        };
        let mut positions: Vec<usize> = (0..self.len()).collect();
        positions.sort_by(|&a, &b| order(a, b));
        let groups = positions.chunk_by(|&a, &b| order(a, b).is_eq());
        groups.filter(|group| group.len() > 1).map(<[usize]>::to_vec).collect()
    }

    /// These items, then those of `other`.
    ///
    /// # Panics
    /// If they have another number of features.
    #[must_use]
    pub fn followed_by(&self, other: &Self) -> Self {
        let ids = self.ids.iter().chain(&other.ids).copied().collect();
        let values = self.values.iter().chain(&other.values).copied().collect();
        Self::new(ids, self.dims, values)
    }

    /// The items at `indices`, in that order.
    pub fn select(&self, indices: &[usize]) -> Self {
        Self {
            ids: indices.iter().map(|&i| self.ids[i]).collect(),
            dims: self.dims,
            values: indices.iter().flat_map(|&i| self.row(i)).copied().collect(),
        }
    }
}
