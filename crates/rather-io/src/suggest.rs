//! The key that was probably meant.

/// Longer keys are not compared: nobody mistypes them by hand.
const LONGEST: usize = 60;

/// The one of `keys` that is most like `key`, if it differs by capitals or few letters only.
pub fn closest<'k>(key: &str, keys: &'k [String]) -> Option<&'k str> {
    let lower = key.to_lowercase();
    if let Some(same) = keys.iter().find(|other| other.to_lowercase() == lower) {
        return Some(same);
    }
    let wanted: Vec<char> = lower.chars().collect();
    // A wrong number is not a misspelt one.
    if wanted.len() > LONGEST || wanted.iter().all(char::is_ascii_digit) {
        return None;
    }
    let tolerance = wanted.len() / 3;
    keys.iter()
        .filter_map(|other| {
            let letters: Vec<char> = other.to_lowercase().chars().take(LONGEST + 1).collect();
            let near = letters.len().abs_diff(wanted.len()) <= tolerance;
            near.then(|| (edit_distance(&wanted, &letters), other.as_str()))
        })
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

/// Levenshtein's distance: insertions, deletions and substitutions of letters.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn distances() {
        for (a, b, distance) in [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("ab", "ba", 2)] {
            assert_eq!(edit_distance(&letters(a), &letters(b)), distance);
        }
    }

    #[test]
    fn only_near_keys_are_suggested() {
        let keys: Vec<String> = ["Tuna", "Salmon", "104", "a"].map(String::from).to_vec();
        assert_eq!(closest("tuna", &keys), Some("Tuna"));
        assert_eq!(closest("Samon", &keys), Some("Salmon"));
        assert_eq!(closest("Squid", &keys), None);
        assert_eq!(closest("103", &keys), None);
        assert_eq!(closest("b", &keys), None);
    }
}
