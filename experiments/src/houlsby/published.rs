//! The figures of the two published tables, and of an independent reference implementation.

/// The columns of the published tables.
pub(super) const COLUMNS: [&str; 5] = ["CPU", "CP", "BI", "BO", "SU"];

/// The published figures of one data set, in the order of [`COLUMNS`].
pub(super) struct Published {
    pub(super) name: &'static str,
    /// Errors of the main paper (BO with tuned kernels).
    pub(super) main: [f64; 5],
    /// Errors of the supplement's Table 2.
    pub(super) supplement: [f64; 5],
    /// Seconds, R and C in 2012.
    pub(super) seconds: [f64; 5],
}

pub(super) const TABLE: [Published; 5] = [
    Published {
        name: "synthetic",
        main: [0.162, 0.180, 0.175, 0.157, 0.226],
        supplement: [0.163, 0.182, 0.255, 0.169, 0.228],
        seconds: [7.8, 9.5, 22.5, 311.6, 0.93],
    },
    Published {
        name: "sushi",
        main: [0.171, 0.163, 0.160, 0.266, 0.187],
        supplement: [0.125, 0.115, 0.196, 0.253, 0.153],
        seconds: [5.7, 4.3, 20.0, 215.1, 0.82],
    },
    Published {
        name: "movielens",
        main: [0.182, 0.166, 0.168, 0.302, 0.217],
        supplement: [0.187, 0.166, 0.205, 0.314, 0.223],
        seconds: [5.3, 4.0, 19.4, 69.0, 0.60],
    },
    Published {
        name: "election",
        main: [0.199, 0.123, 0.077, 0.401, 0.300],
        supplement: [0.232, 0.154, 0.153, 0.385, 0.309],
        seconds: [13.1, 12.4, 20.9, 120.0, 0.89],
    },
    Published {
        name: "jura",
        main: [0.159, 0.153, 0.153, 0.254, 0.181],
        supplement: [0.162, 0.154, 0.188, 0.181, 0.185],
        seconds: [3.8, 2.4, 15.2, 88.5, 0.63],
    },
];
