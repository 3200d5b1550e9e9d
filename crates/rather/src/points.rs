//! Items as a kernel sees them: rows of encoded feature values, each with an identity.

/// `n` items: row `i` holds the encoded features of item `i` (numbers standardised or raw, categories as
/// the index of their level), and `id(i)` tells items apart that have the same features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    ids: Vec<u64>,
    dims: usize,
    values: Vec<f64>,
    teams: Option<Teams>,
}

/// Which rows make up which team, and how much each counts.
#[derive(Debug, Clone, PartialEq, Default)]
struct Teams {
    /// Where each team's rows begin, and where the last one's end.
    begins: Vec<usize>,
    /// One a row.
    weights: Vec<f64>,
}

impl Points {
    /// Items with identities `ids` and `dims` features each, `values` row by row.
    ///
    /// # Panics
    /// If `values` does not have `ids.len() * dims` entries: a mistake of the calling code, never of data.
    pub fn new(ids: Vec<u64>, dims: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), ids.len() * dims, "values must hold dims numbers for every id");
        Self { ids, dims, values, teams: None }
    }

    /// The same rows as the members of teams, of so many rows each, with these weights: what is compared is a team, whose utility is the
    /// weighted sum of its members'. [`Points::row`] and [`Points::id`] stay those of the members.
    pub(crate) fn in_teams(self, sizes: impl Iterator<Item = usize>, weights: Vec<f64>) -> Self {
        let mut begins = vec![0];
        begins.extend(sizes.scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        assert_eq!((begins.last(), weights.len()), (Some(&self.ids.len()), self.ids.len()), "a weight a row");
        Self { teams: Some(Teams { begins, weights }), ..self }
    }

    /// Whether teams are compared.
    pub(crate) fn are_teams(&self) -> bool {
        self.teams.is_some()
    }

    /// Number of rows: of items, or of the members of all teams.
    pub(crate) fn rows(&self) -> usize {
        self.ids.len()
    }

    /// The rows of what is compared, and how much each counts: of an item its own, of a team its members'.
    pub(crate) fn members(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let rows = self.teams.as_ref().map_or(i..i + 1, |teams| teams.begins[i]..teams.begins[i + 1]);
        rows.map(|row| (row, self.teams.as_ref().map_or(1.0, |teams| teams.weights[row])))
    }

    /// Items numbered from 0 with the given rows of features.
    pub fn from_rows<const D: usize>(rows: &[[f64; D]]) -> Self {
        Self::new((0..rows.len() as u64).collect(), D, rows.iter().flatten().copied().collect())
    }

    /// Number of items, or of teams.
    pub fn len(&self) -> usize {
        self.teams.as_ref().map_or(self.ids.len(), |teams| teams.begins.len() - 1)
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
        let all = Self::new(ids, self.dims, values);
        if !self.are_teams() && !other.are_teams() {
            return all;
        }
        let each =
            || [self, other].into_iter().flat_map(|points| (0..points.len()).map(move |i| (points, i)));
        let weights = each().flat_map(|(points, i)| points.members(i).map(|(_, weight)| weight)).collect();
        all.in_teams(each().map(|(points, i)| points.members(i).count()), weights)
    }

    /// The items at `indices`, in that order.
    pub fn select(&self, indices: &[usize]) -> Self {
        let members = || indices.iter().flat_map(|&i| self.members(i));
        let selected = Self::new(
            members().map(|(row, _)| self.ids[row]).collect(),
            self.dims,
            members().flat_map(|(row, _)| self.row(row)).copied().collect(),
        );
        if !self.are_teams() {
            return selected;
        }
        let sizes = indices.iter().map(|&i| self.members(i).count());
        selected.in_teams(sizes, members().map(|(_, weight)| weight).collect())
    }
}
