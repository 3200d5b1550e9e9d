//! Who was compared with whom, and how often.

use super::Cast;
use rather_numerics::order;

/// How the comparisons hang together.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// Groups of items that no chain of comparisons joins, the largest first: within a group, utilities can be compared.
    pub groups: Vec<Vec<usize>>,
    /// The votes about each item.
    pub votes: Vec<f64>,
    /// Pairs of items that were compared, of so many that there are.
    pub pairs: (usize, usize),
    /// Items that won all of their decisive votes, or lost all of them: without a prior their utility would be infinite.
    pub one_sided: Vec<usize>,
}

/// How the comparisons hang together.
pub fn connection(cast: &Cast<'_>) -> Connection {
    let n = cast.items();
    let mut parent: Vec<usize> = (0..n).collect();
    let mut votes = vec![0.0; n];
    let mut score = vec![[0.0; 2]; n];
    let mut pairs = std::collections::HashSet::new();
    for cell in &cast.cells {
        let (first, Some(second)) = cell.items else { continue };
        votes[first] += cell.count;
        votes[second] += cell.count;
        pairs.insert((first.min(second), first.max(second)));
        let (a, b) = (root(&mut parent, first), root(&mut parent, second));
        parent[a] = b;
        let share = if cell.tie { 0.5 } else { 1.0 };
        for (item, won) in [(first, share), (second, 1.0 - share)] {
            score[item][0] += won * cell.count;
            score[item][1] += (1.0 - won) * cell.count;
        }
    }
    // Of "both bad" the two answers are about one item each.
    for cell in cast.cells.iter().filter(|cell| cell.minus.is_none()) {
        votes[cell.items.0] += cell.count;
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); n];
    (0..n).for_each(|item| {
        let root = root(&mut parent, item);
        groups[root].push(item);
    });
    groups.retain(|group| !group.is_empty());
    order::sort_descending(&mut groups, |group| group.len() as f64);
    let one_sided = (0..n).filter(|&i| score[i].contains(&0.0) && score[i] != [0.0; 2]).collect();
    Connection { groups, votes, pairs: (pairs.len(), n * n.saturating_sub(1) / 2), one_sided }
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
