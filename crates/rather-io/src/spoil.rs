//! Files with random mistakes, for tests.

use crate::model_file::Tensor;
use serde_json::{Value, json};

/// Pseudo-random numbers, the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// Puts something else in the place of a random part of `value`.
pub(crate) fn spoil(value: &mut Value, dice: &mut Dice) {
    let inside: Vec<&mut Value> = match value {
        Value::Array(parts) => parts.iter_mut().collect(),
        Value::Object(parts) => parts.values_mut().collect(),
        _ => Vec::new(),
    };
    let n = inside.len();
    if n > 0 && dice.roll(20) > 0 {
        return inside.into_iter().nth(dice.roll(n)).into_iter().for_each(|part| spoil(part, dice));
    }
    let others = [
        json!(null),
        json!(0),
        json!(-1),
        json!(1e308),
        json!(-1e308),
        json!(1e-308),
        json!(u64::MAX),
        json!(1),
        json!("x"),
        json!([]),
        json!({}),
        json!(true),
        json!([0, 0]),
        json!("ep"),
    ];
    *value = others[dice.roll(others.len())].clone();
}

pub(crate) fn spoil_tensor(tensor: &mut Tensor, dice: &mut Dice) {
    let floats = [0.0, -1.0, 1e308, -1e308, 1e-308, 1e20];
    match tensor {
        Tensor::F64 { data, .. } if !data.is_empty() => {
            let at = dice.roll(data.len());
            data[at] = floats[dice.roll(floats.len())];
        }
        Tensor::U64 { data, .. } if !data.is_empty() => {
            let at = dice.roll(data.len());
            data[at] = [0, 1, 9, 10, u64::MAX, 1 << 32][dice.roll(6)];
        }
        _ => {}
    }
}
