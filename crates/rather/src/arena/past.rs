//! The votes of a saved board, as it keeps them: equal votes merged, with their counts.

use crate::answers::{Answer, Answers};
use crate::context::{Context, ContextColumn, Sides};
use crate::features::{Column, ColumnValues, Encoding};
use crate::likelihood::Reply;
use crate::model::{Items, Model};

/// What a board was learned from.
#[derive(Debug, Clone)]
pub struct Past {
    /// The items.
    pub items: Items,
    /// The sides that answers are about, if votes have columns.
    pub sides: Option<Sides>,
    /// The answers, about sides if there are such.
    pub answers: Answers,
    /// The users whom answers name.
    pub users: Vec<String>,
    /// Whether a preference is a grade, since there are ties.
    pub graded: bool,
}

impl Past {
    /// The votes of `model`, whose time is proportional to the distinct ones.
    ///
    /// # Errors
    /// Why a model is no board, in words.
    pub fn of(model: &Model) -> Result<Self, &'static str> {
        let points = model.sides();
        if model.items().features().dims() > 0 || points.are_teams() {
            return Err("its items have features, or are teams");
        }
        let observations = model.observations();
        let side = |place: usize| observations.items[place];
        let replies = &observations.responses.replies;
        let answers = observations.merged.iter().map(|o| {
            let (edge, reply) = (observations.edges[o.edge()], replies[o.answer.0 as usize]);
            let (low, high) = (side(edge.plus()), edge.minus().map(side));
            let (plus, minus) = match high {
                Some(high) if o.sign() < 0.0 => (high, Some(low)),
                high => (low, high),
            };
            Answer::of(plus, minus, reply).times(o.count())
        });
        let is_graded = |reply: &Reply| reply.kind == Reply::TIE.kind;
        Ok(Self {
            items: Items { keys: model.keys().to_vec(), columns: Vec::new() },
            answers: answers.collect(),
            users: observations.responses.users.clone(),
            graded: replies.iter().any(is_graded),
            sides: model.items().context().map(|context| Sides {
                items: (0..points.len()).map(|i| points.id(i) as u32).collect(),
                columns: (0..context.encoder.features.len()).map(|c| decoded(model, context, c)).collect(),
                teams: Vec::new(),
            }),
        })
    }

    /// The same and later votes: about `items` and `sides` of their own. Where only one of the two has ties, the choices of the other could have been ties.
    ///
    /// # Errors
    /// Why they do not go together, in words.
    pub fn and(
        mut self,
        items: &[String],
        sides: Option<&Sides>,
        later: &Answers,
        graded: bool,
    ) -> Result<Self, &'static str> {
        let place = |known: &mut Vec<String>, name: &String| {
            known.iter().position(|key| key == name).unwrap_or_else(|| {
                known.push(name.clone());
                known.len() - 1
            })
        };
        let of_item: Vec<usize> = items.iter().map(|name| place(&mut self.items.keys, name)).collect();
        let first = match (&mut self.sides, sides) {
            (None, None) => None,
            (Some(known), Some(new)) => {
                let first = known.items.len();
                known.items.extend(new.items.iter().map(|&item| of_item[item as usize] as u32));
                for column in &mut known.columns {
                    let other =
                        new.columns.iter().find(|c| c.column.name.eq_ignore_ascii_case(&column.column.name));
                    match (&mut column.column.values, other.map(|c| &c.column.values)) {
                        (ColumnValues::Numeric(all), Some(ColumnValues::Numeric(more))) => all.extend(more),
                        (ColumnValues::Text(all), Some(ColumnValues::Text(more))) => {
                            all.extend_from_slice(more)
                        }
                        _ => return Err("the later votes lack a column that the board was learned from"),
                    }
                }
                Some(first)
            }
            _ => return Err("only one of the two tables of votes has a left and a right side"),
        };
        let at = |side: usize| first.map_or_else(|| of_item[side], |first| first + side);
        let moved = later.iter().map(|answer| answer.renumbered(at));
        let both = self.graded || graded;
        let as_graded = |a: Answer| match a.reply.kind == Reply::CHOICE.kind && both {
            true => Answer { reply: Reply { kind: Reply::TIE.kind, datum: 1.0, ..a.reply }, ..a },
            false => a,
        };
        self.answers = self.answers.iter().chain(moved).map(as_graded).collect();
        self.graded = both;
        Ok(self)
    }
}

/// Column `c` of the sides of a model, as it stood in the table.
fn decoded(model: &Model, context: &Context, c: usize) -> ContextColumn {
    let (points, names) = (model.sides(), model.columns());
    let (name, encoding) = &context.encoder.features[c];
    let at = names.iter().position(|known| known == name).unwrap_or(c);
    let values = (0..points.len()).map(|i| points.row(i)[at]);
    let values = match encoding {
        Encoding::Numeric { center, scale } => {
            ColumnValues::Numeric(values.map(|x| x * scale + center).collect())
        }
        Encoding::Categorical { levels } => {
            let level = |x: f64| levels.get(x as usize).cloned().unwrap_or_default();
            ColumnValues::Text(values.map(level).collect())
        }
        Encoding::Missing { .. } => ColumnValues::Numeric(values.collect()),
    };
    let column = Column { name: name.clone(), values };
    ContextColumn { column, shared: context.shared[c], date: context.dates[c] }
}
