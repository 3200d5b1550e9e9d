//! Style sheet, scripts and icon, embedded in the program.
//!
//! Their addresses hold a version made of their content, so that browsers may keep them for ever; scripts import each other
//! by relative addresses, which keep the version.

use std::sync::LazyLock;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// An embedded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// Its name.
    pub name: &'static str,
    /// Its type, for HTTP.
    pub media_type: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal $media_type:literal)*) => {
        [$(Asset { name: $name, media_type: $media_type, bytes: include_bytes!(concat!("assets/", $name)) }),*]
    };
}

/// All of them.
pub static ASSETS: &[Asset] = &assets! {
    "app.css" "text/css; charset=utf-8"
    "picture.css" "text/css; charset=utf-8"
    "icon.svg" "image/svg+xml"
    "attention.js" "text/javascript; charset=utf-8"
    "beside.js" "text/javascript; charset=utf-8"
    "duel.js" "text/javascript; charset=utf-8"
    "files.js" "text/javascript; charset=utf-8"
    "home.js" "text/javascript; charset=utf-8"
    "inter.woff2" "font/woff2"
    "times.js" "text/javascript; charset=utf-8"
    "source-serif.woff2" "font/woff2"
    "form.js" "text/javascript; charset=utf-8"
    "loudness.js" "text/javascript; charset=utf-8"
    "outbox.js" "text/javascript; charset=utf-8"
    "panel.js" "text/javascript; charset=utf-8"
    "picks.js" "text/javascript; charset=utf-8"
    "picture.js" "text/javascript; charset=utf-8"
    "player.js" "text/javascript; charset=utf-8"
    "result.js" "text/javascript; charset=utf-8"
    "reference.js" "text/javascript; charset=utf-8"
    "sides.js" "text/javascript; charset=utf-8"
    "steps.js" "text/javascript; charset=utf-8"
    "sound.js" "text/javascript; charset=utf-8"
    "volume.js" "text/javascript; charset=utf-8"
    "words.js" "text/javascript; charset=utf-8"
    "zoom.js" "text/javascript; charset=utf-8"
};

/// The version of all assets together: a short text that changes with any of them.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for asset in ASSETS {
        hash.update(asset.bytes);
    }
    HEXLOWER.encode(&hash.finalize()[..6])
});

/// The asset of this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// The address of an asset: `/assets/{version}/{name}`.
pub fn url(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}
