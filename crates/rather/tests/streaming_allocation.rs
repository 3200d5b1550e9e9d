//! An answer allocates nothing, whatever the kernel. In a file of its own: it counts with an allocator of its own.

use rather::kernel::{Schema, parse};
use rather::points::Points;
use rather::streaming::{Forgetting, Settings, StreamingModel};

fn grid(side: usize) -> Points {
    let at = |i: usize| i as f64 / (side - 1) as f64;
    let values = (0..side * side).flat_map(|k| [at(k % side), at(k / side)]).collect();
    Points::new((0..(side * side) as u64).collect(), 2, values)
}

#[test]
fn an_answer_allocates_nothing() {
    let schema = Schema { names: vec!["a".into(), "b".into()], categorical: vec![false; 2], context: 0 };
    let items = Points::from_rows(&[[0.1, 0.3], [0.8, 0.2], [0.4, 0.9]]);
    for kernel in ["se", "matern32[a] * (rq[b] + linear) + white"] {
        for drift in [Forgetting::Never, Forgetting::Drift { half_life: 20.0 }] {
            // The memory overflows on the way: forgetting does not allocate either.
            let settings = Settings { memory: 8, lapse: 0.02, forgetting: drift, ..Settings::default() };
            let kernel = parse(kernel, &schema, true).unwrap();
            let mut model = StreamingModel::new(kernel, grid(6), settings).unwrap();
            let counted = allocation_counter::measure(|| {
                for n in 0..30 {
                    model.answer(&items, n % 3, (n + 1) % 3).unwrap();
                    model.label(&items, n % 3, n % 2 == 0).unwrap();
                    model.measure(&items, n % 3, 0.5, 0.3).unwrap();
                }
            });
            assert_eq!(counted.count_total, 0, "{drift:?}");
            assert_eq!((model.answers(), model.kept()), (90, 8));
        }
    }
}
