//! Who uses a file, as far as the operating system tells.

use super::anchor::FileId;
use serde::Serialize;

/// A process that has locks on a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct User {
    /// Its number.
    pub process: u32,
    /// Its name, if it may be known.
    pub program: Option<String>,
}

/// The processes that have locks on a file, this one too; `None` where the operating system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn users(file: FileId) -> Option<Vec<User>> {
    let text = std::fs::read_to_string("/proc/locks").ok()?;
    let mut users: Vec<User> = text.lines().filter_map(|line| holder(line, file)).map(user).collect();
    users.sort();
    users.dedup();
    Some(users)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn users(_: FileId) -> Option<Vec<User>> {
    None
}

/// The process of a line such as `3: POSIX  ADVISORY  READ  4711 fe:01:1234 1073741826 1073742335`, if it is about `file`.
#[cfg(target_os = "linux")]
fn holder(line: &str, file: FileId) -> Option<u32> {
    let (device, inode) = file.device_and_inode();
    let mut fields =
        line.split_whitespace().skip_while(|field| *field != "POSIX" && *field != "OFDLCK").skip(3);
    let process = fields.next()?.parse().ok()?;
    let mut place = fields.next()?.splitn(3, ':');
    let mut part = |radix| u64::from_str_radix(place.next().unwrap_or_default(), radix).ok();
    let (major, minor, number) = (part(16)?, part(16)?, part(10)?);
    // As the C library packs them into one number.
    let packed =
        (major & 0xffff_f000) << 32 | (major & 0xfff) << 8 | (minor & 0xffff_ff00) << 12 | minor & 0xff;
    (number == inode && packed == device).then_some(process)
}

#[cfg(target_os = "linux")]
fn user(process: u32) -> User {
    let name = std::fs::read_to_string(format!("/proc/{process}/comm")).ok();
    User { process, program: name.map(|name| name.trim().to_owned()) }
}
