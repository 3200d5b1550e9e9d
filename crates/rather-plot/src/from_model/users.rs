//! How the users of a model differ.

use rather::Person;
use rather::many::Population;

use super::utility_name;
use crate::figures::users::average;
use crate::{Error, LikedItem, Users};

/// The `top` items that users like best on average, with their mean utility to each user.
///
/// # Errors
/// [`Error::Model`].
pub fn users(population: &Population, top: usize) -> Result<Users, Error> {
    let items = population.items();
    let item = |name: &String| LikedItem { name: name.clone(), utilities: Vec::new() };
    let mut all: Vec<LikedItem> = items.keys().iter().map(item).collect();
    for user in 0..population.users().keys().len() {
        let person = Person::User(population, population.model().user(user)?);
        let utilities = person.utilities(items.points());
        all.iter_mut().zip(utilities.mean).for_each(|(item, mean)| item.utilities.push(mean));
    }
    all.sort_by(|a, b| average(&b.utilities).total_cmp(&average(&a.utilities)));
    let left_out = all.len().saturating_sub(top);
    all.truncate(top);
    Ok(Users { items: all, left_out, utility: utility_name(population.hyperparameters().noise()) })
}
