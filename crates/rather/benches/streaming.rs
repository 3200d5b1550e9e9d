//! What one answer costs on a device: 36 basis points, with and without a drift, and the kernel's share of it.

use criterion::{Criterion, criterion_group, criterion_main};
use rather::kernel::{Evaluator, Kernel, Schema, parse};
use rather::points::Points;
use rather::streaming::{Forgetting, Settings, StreamingModel};
use std::hint::black_box;

fn grid() -> Points {
    let values = (0..36).flat_map(|k| [f64::from(k % 6) / 5.0, f64::from(k / 6) / 5.0]).collect();
    Points::new((0..36).collect(), 2, values)
}

fn kernel() -> Kernel {
    let schema = Schema { names: vec!["a".into(), "b".into()], categorical: vec![false; 2], context: 0 };
    let mut kernel = parse("se", &schema, false).expect("a kernel");
    kernel.set_parameters(&[4.0, 0.35]).expect("its two parameters");
    kernel
}

fn answer(c: &mut Criterion) {
    let values = (0..64).map(|i| (f64::from(i) * 0.618_033_988_75).fract()).collect();
    let items = Points::new((0..32).collect(), 2, values);
    for (name, drift) in [("still", Forgetting::Never), ("fading", Forgetting::Drift { half_life: 100.0 })] {
        let settings = Settings { forgetting: drift, ..Settings::default() };
        let mut model = StreamingModel::new(kernel(), grid(), settings).expect("a model");
        let mut n = 0;
        c.bench_function(&format!("answer, 36 basis points, {name}"), |b| {
            b.iter(|| {
                n += 1;
                model.answer(&items, n % 32, (7 * n + 1) % 32).map_err(|_| ()).ok()
            });
        });
    }
    let (kernel, mut evaluator, mut column) = (kernel(), Evaluator::new(&grid()), [0.0; 36]);
    c.bench_function("36 covariances", |b| {
        b.iter(|| evaluator.column(&kernel, black_box((1, &[0.3, 0.4])), &mut column));
    });
}

criterion_group!(benches, answer);
criterion_main!(benches);
