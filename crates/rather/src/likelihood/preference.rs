//! What may be said of two items as they are shown, and in which words.

/// What may be said of two items, of which one is on the left. Grades of a preference are counted from 1, the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preference {
    /// The left one, by a grade.
    Left(u8),
    /// Neither.
    Tie,
    /// The right one, by a grade.
    Right(u8),
}

impl Preference {
    /// Its name, where `grades` are the words before a side, the weakest first: "a little", "", "much". A grade that has none is
    /// "much" as often as it is beyond the first.
    ///
    /// # Examples
    /// ```
    /// use rather::likelihood::Preference;
    ///
    /// let words = ["a little".to_owned(), String::new(), "much".to_owned()];
    /// let names = [1, 2, 3].map(|grade| Preference::Left(grade).name(&words));
    /// assert_eq!(names, ["a little left", "left", "much left"]);
    /// assert_eq!([1, 2].map(|grade| Preference::Right(grade).name(&[])), ["right", "much right"]);
    /// ```
    pub fn name(self, grades: &[String]) -> String {
        let (grade, side) = match self {
            Self::Tie => return "tie".to_owned(),
            Self::Left(grade) => (usize::from(grade.max(1)), "left"),
            Self::Right(grade) => (usize::from(grade.max(1)), "right"),
        };
        match grades.get(grade - 1).map(String::as_str) {
            Some("") => side.to_owned(),
            Some(word) => format!("{word} {side}"),
            None => "much ".repeat(grade - 1) + side,
        }
    }
}
