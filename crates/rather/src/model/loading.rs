//! How much memory a model from a file takes, found before any of it is taken.

use std::collections::HashSet;

use super::SparseFit;
use super::parts::ModelParts;
use crate::bounds::{MATRICES, matrix};
use crate::inference::prior::Space;
use crate::memory::{self, Size};

/// Bytes that an answer takes besides: the answer, its pair, its site and its moments.
const AN_ANSWER: u64 = 400;
/// Bytes of a sparse factor, the most that a fit makes ([`Limits`](crate::inference::sparse::Limits)).
const SPARSE: u64 = 1 << 29;

impl ModelParts {
    /// About how many bytes [`Model::from_parts`](super::Model::from_parts) takes, besides the parts themselves. A posterior is rebuilt
    /// from matrices of the size items x items, and names need no more than a few bytes each, so a small file can ask for much.
    pub fn bytes_needed(&self) -> u64 {
        let items = self.winners.iter().chain(&self.losers).collect::<HashSet<_>>().len();
        let answers = AN_ANSWER.saturating_mul(self.winners.len() as u64);
        if let Some(state) = &self.header.streaming {
            return state.bytes_needed().saturating_add(answers);
        }
        if let Some(sparse) = &self.header.report.sparse {
            let messages = memory::messages(&Size::new(items, self.winners.len()));
            let factor = if matches!(sparse, SparseFit::Factor { .. }) { SPARSE } else { 0 };
            return messages.saturating_add(factor);
        }
        let posterior = match (&self.header.inducing, self.header.space) {
            (Some(inducing), _) => matrix(items, inducing.len()).saturating_mul(MATRICES),
            (None, Space::Items) => matrix(items, items).saturating_mul(MATRICES),
            (None, Space::Pairs) => {
                let pairs = self.winners.len();
                matrix(pairs, pairs).saturating_mul(MATRICES).saturating_add(matrix(items, items))
            }
        };
        posterior.saturating_add(answers).saturating_mul(1 + self.header.rivals.len() as u64)
    }
}
