//! Files in a folder of their own.

use rather_io::{AnswerTable, ItemOptions, ItemTable, PairTable, Reading};
use std::path::PathBuf;

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// The message of an error or a note, with files named without the folder.
    pub(crate) fn sentence(&self, message: &impl std::fmt::Display) -> String {
        message.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }

    pub(crate) fn items(&self, bytes: impl AsRef<[u8]>) -> Result<ItemTable, String> {
        self.items_with(bytes, &[])
    }

    pub(crate) fn items_with(
        &self,
        bytes: impl AsRef<[u8]>,
        categorical: &[&str],
    ) -> Result<ItemTable, String> {
        let categorical = categorical.iter().map(|&name| name.to_owned()).collect();
        let path = self.write("items.csv", bytes);
        let options = ItemOptions { categorical, ..ItemOptions::default() };
        rather_io::read_items(&path, &options).map_err(|error| self.sentence(&error))
    }

    /// Items of which every value must be there.
    pub(crate) fn complete_items(&self, bytes: impl AsRef<[u8]>) -> Result<ItemTable, String> {
        let path = self.write("items.csv", bytes);
        let options = ItemOptions { complete: true, ..ItemOptions::default() };
        rather_io::read_items(&path, &options).map_err(|error| self.sentence(&error))
    }

    pub(crate) fn comparisons(
        &self,
        items: &ItemTable,
        bytes: impl AsRef<[u8]>,
    ) -> Result<AnswerTable, String> {
        let path = self.write("duels.csv", bytes);
        rather_io::read_answers(&path, items, &Reading::COMPARISONS).map_err(|error| self.sentence(&error))
    }

    pub(crate) fn pairs(&self, items: &ItemTable, bytes: impl AsRef<[u8]>) -> Result<PairTable, String> {
        let path = self.write("pairs.csv", bytes);
        rather_io::read_pairs(&path, items).map_err(|error| self.sentence(&error))
    }

    /// Items known by name only.
    pub(crate) fn named(&self, names: &[&str]) -> ItemTable {
        self.items(format!("item\n{}\n", names.join("\n"))).unwrap()
    }
}
