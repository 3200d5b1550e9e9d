//! Kernel expressions.

use rather::kernel::{Schema, parse};

/// Reads an expression; one that is understood is written and read again as the same kernel.
pub(super) fn kernels(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let schema = Schema {
        names: ["price", "kind", "x"].map(str::to_owned).to_vec(),
        categorical: vec![false, true, false],
        context: 0,
    };
    for ard in [false, true] {
        let Ok(kernel) = parse(&text, &schema, ard) else { continue };
        let written = kernel.describe(&schema);
        match parse(&written, &schema, ard) {
            Ok(again) => assert_eq!(again.describe(&schema), written, "written otherwise the second time"),
            Err(error) => panic!("{written} is not read again: {error}"),
        }
    }
}
