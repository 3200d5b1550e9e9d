//! Orders by numbers. A sort is some ten kilobytes of code for every type and comparison: these are compiled once.

/// The places of `values` from the smallest to the largest by [`f64::total_cmp`]; of equal ones the earlier first.
///
/// # Examples
/// ```
/// assert_eq!(rather_numerics::order::ascending(&[0.5, -1.0, 0.5]), [1, 0, 2]);
/// ```
pub fn ascending(values: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    places
}

/// The places of `values` from the largest to the smallest by [`f64::total_cmp`]; of equal ones the earlier first.
///
/// # Examples
/// ```
/// assert_eq!(rather_numerics::order::descending(&[0.5, -1.0, 0.5]), [0, 2, 1]);
/// ```
pub fn descending(values: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    places
}

/// The places of whole numbers from the smallest to the largest; of equal ones the earlier first.
///
/// # Examples
/// ```
/// assert_eq!(rather_numerics::order::by_key(&[3, 1, 3]), [1, 0, 2]);
/// ```
pub fn by_key(values: &[i64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by_key(|&place| values[place]);
    places
}

/// Sorts by a number of each, the smallest first; of equal ones the earlier stays first.
///
/// # Examples
/// ```
/// let mut all = vec![("b", 2.0), ("a", 1.0)];
/// rather_numerics::order::sort_ascending(&mut all, |one| one.1);
/// assert_eq!(all, [("a", 1.0), ("b", 2.0)]);
/// ```
pub fn sort_ascending<T>(all: &mut Vec<T>, number: impl Fn(&T) -> f64) {
    let places = ascending(&all.iter().map(number).collect::<Vec<f64>>());
    permute(all, &places);
}

/// Sorts by a number of each, the largest first; of equal ones the earlier stays first.
///
/// # Examples
/// ```
/// let mut all = vec![("a", 1.0), ("b", 2.0)];
/// rather_numerics::order::sort_descending(&mut all, |one| one.1);
/// assert_eq!(all, [("b", 2.0), ("a", 1.0)]);
/// ```
pub fn sort_descending<T>(all: &mut Vec<T>, number: impl Fn(&T) -> f64) {
    let places = descending(&all.iter().map(number).collect::<Vec<f64>>());
    permute(all, &places);
}

/// Sorts by a whole number of each, the smallest first; of equal ones the earlier stays first.
///
/// # Examples
/// ```
/// let mut all = vec!["three", "one"];
/// rather_numerics::order::sort_by_key(&mut all, |word| word.len() as i64);
/// assert_eq!(all, ["one", "three"]);
/// ```
pub fn sort_by_key<T>(all: &mut Vec<T>, number: impl Fn(&T) -> i64) {
    let places = by_key(&all.iter().map(number).collect::<Vec<i64>>());
    permute(all, &places);
}

fn permute<T>(all: &mut Vec<T>, places: &[usize]) {
    let mut taken: Vec<Option<T>> = std::mem::take(all).into_iter().map(Some).collect();
    all.extend(places.iter().filter_map(|&place| taken[place].take()));
}
