//! How much memory a model of many users from a file takes, found before any of it is taken.

use super::{Kind, PopulationParts};
use crate::bounds::{MATRICES, matrix};
use crate::many::Kronecker;

impl PopulationParts {
    /// About how many bytes [`Population::from_parts`](super::Population::from_parts) takes, besides the parts themselves.
    pub fn bytes_needed(&self) -> u64 {
        let header = &self.header;
        let (items, users) = (header.items.len(), header.users.len());
        let base = |inducing: &Option<Vec<usize>>, n: usize| inducing.as_ref().map_or(n, Vec::len);
        let item_base = match header.kind {
            // Its features are in the file.
            Kind::Hierarchical => self.integers.get("feature_items").map_or(0, Vec::len),
            _ => base(&header.inducing_items, items),
        };
        let user_base = base(&header.inducing_users, users);
        let kernel = |base: usize, n: usize| {
            matrix(base, base).saturating_mul(MATRICES).saturating_add(matrix(base, n))
        };
        let posterior = match header.kind {
            Kind::PerUser | Kind::Pooled | Kind::Hierarchical => self.of_one_user(item_base),
            Kind::Kronecker => {
                let features = items.saturating_mul(users).min(Kronecker::LARGEST);
                let posterior = matrix(features, features).saturating_mul(2);
                posterior
                    .saturating_add(matrix(features, items.min(features)))
                    .saturating_add(kernel(users, users))
            }
            Kind::Collaborative => {
                let by_features = if header.user_part.kernel.is_some() { user_base } else { 0 };
                let each = matrix(item_base, item_base).saturating_add(matrix(by_features, by_features));
                let answers = self.integers.get("user").map_or(0, Vec::len);
                let each = each.saturating_mul(header.functions as u64);
                each.saturating_add(matrix(item_base, answers)).saturating_add(kernel(by_features, users))
            }
        };
        kernel(item_base, items).saturating_add(posterior)
    }

    /// Users are rebuilt one after another, in a few threads: the one with the most answers takes the most.
    fn of_one_user(&self, features: usize) -> u64 {
        let mut answers = vec![0_usize; self.header.users.len()];
        for &user in self.integers.get("user").into_iter().flatten() {
            // Users who are not there are found out later.
            if let Some(count) = usize::try_from(user).ok().and_then(|user| answers.get_mut(user)) {
                *count += 1;
            }
        }
        let most = answers.into_iter().max().unwrap_or(0).min(features);
        matrix(most, features).saturating_mul(MATRICES)
    }
}
