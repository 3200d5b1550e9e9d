//! Real data, if there are any: the folder that `RATHER_DATA` names, or one beside the workspace. Where `RATHER_REQUIRE` holds the word
//! `data`, they must be there.

use crate::lab::Lab;
use std::path::PathBuf;

fn data(file: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("RATHER_DATA").map_or_else(beside, PathBuf::from).join(file);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var("RATHER_REQUIRE").is_ok_and(|these| these == "1" || these.contains("data"));
    assert!(!required, "there is no {}, and RATHER_REQUIRE says that the data are here", path.display());
    println!("skipped: there is no {} (set RATHER_DATA)", path.display());
    None
}

#[test]
fn fatty_tuna_is_the_favourite_sushi() {
    let (Some(items), Some(rankings)) = (data("sushi/items_a.csv"), data("sushi/rankings_a.csv")) else {
        return;
    };
    let fit = Lab::new().json(&format!("fit {} {} --quiet", items.display(), rankings.display()));
    assert_eq!((&fit["users"], &fit["comparisons"]), (&5000.into(), &225_000.into()));
    assert_eq!((&fit["ranking"][0]["item"], &fit["ranking"][0]["label"]), (&"7".into(), &"toro".into()));
}
