//! Which uploaded file belongs to which item, where the table does not say.

use super::StudyForm;
use crate::view::FieldError;
use std::collections::BTreeSet;

/// The column of files in a table that is made here.
const COLUMN: &str = "file";

impl StudyForm {
    /// Gives uploaded files to items: each file is an item where there are none; names without a table get the file of their name; a table
    /// without a column of media gets the one that names the files.
    ///
    /// # Errors
    /// If a file is sent twice, or nothing refers to it.
    pub fn give_files(&mut self, files: &[String]) -> Result<(), FieldError> {
        if self.as_toml || !self.subject.is_of_items() || files.is_empty() {
            return Ok(());
        }
        if let Some((_, twice)) = files.iter().enumerate().find(|(i, file)| files[..*i].contains(file)) {
            return Err(about(twice, format!("two files are called {}; rename one", quote(twice))));
        }
        let header = self.items.lines().next().unwrap_or_default().to_owned();
        if header.trim().is_empty() {
            let names = names(files);
            self.set_table(names.into_iter().zip(files.iter().cloned()));
        } else if !header.contains([',', ';', '\t']) {
            self.give_to_names(files)?;
        }
        self.check_used(files)
    }

    /// Items that are names alone.
    fn give_to_names(&mut self, files: &[String]) -> Result<(), FieldError> {
        let items: Vec<String> =
            self.items.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let file_of = |item: &String| {
            let file = files.iter().find(|file| *file == item || stem(file) == item);
            let missing = || wrong(format!("no file is called {}; upload one, or rename it", quote(item)));
            file.cloned().map(|file| (item.clone(), file)).ok_or_else(missing)
        };
        let rows: Vec<(String, String)> = items.iter().map(file_of).collect::<Result<_, _>>()?;
        self.set_table(rows.into_iter());
        Ok(())
    }

    fn set_table(&mut self, rows: impl Iterator<Item = (String, String)>) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let header = ("item".to_owned(), COLUMN.to_owned());
        let written = std::iter::once(header)
            .chain(rows)
            .try_for_each(|(item, file)| writer.write_record([item, file]));
        // Texts are written into memory, which does not fail.
        let bytes = written.ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
        self.items = String::from_utf8(bytes).unwrap_or_default();
        COLUMN.clone_into(&mut self.media);
    }

    /// What the column within whose values items are compared has in it, some of which may be files: prompts.
    pub fn prompts(&self) -> BTreeSet<String> {
        let (header, rows) = self.table();
        let Some(place) = header.iter().position(|name| *name == self.within) else { return BTreeSet::new() };
        rows.iter().filter_map(|row| row.get(place)).map(|text| text.trim().to_owned()).collect()
    }

    /// The names of the columns, and the rows. What cannot be read is said by whoever reads the table for good.
    fn table(&self) -> (Vec<String>, Vec<csv::StringRecord>) {
        let first = self.items.lines().next().unwrap_or_default();
        let delimiter = [';', '\t'].into_iter().find(|&delimiter| first.contains(delimiter)).unwrap_or(',');
        let mut table = csv::ReaderBuilder::new()
            .flexible(true)
            .delimiter(delimiter as u8)
            .from_reader(self.items.as_bytes());
        let header = table.headers().map(|names| names.iter().map(|name| name.trim().to_owned()).collect());
        (header.unwrap_or_default(), table.records().filter_map(Result::ok).collect())
    }

    /// Every file is named by the column of media, which is found where it is not said, or is a prompt.
    fn check_used(&mut self, files: &[String]) -> Result<(), FieldError> {
        let (header, rows) = self.table();
        let column = |place: usize| {
            rows.iter().filter_map(|row| row.get(place)).map(str::trim).collect::<BTreeSet<_>>()
        };
        let within = header.iter().position(|name| *name == self.within);
        let prompts = within.map(column).unwrap_or_default();
        let own = || files.iter().map(String::as_str).filter(|file| !prompts.contains(file));
        let place = header.iter().position(|name| *name == self.media);
        let found = || {
            let others = (0..header.len()).filter(|&place| Some(place) != within);
            others.into_iter().find(|&place| own().any(|file| column(place).contains(file)))
        };
        let Some(place) = place.or_else(found) else {
            return match own().next() {
                None => Ok(()),
                Some(_) => Err(wrong(
                    "no item refers to the files; give the table a column with their names".to_owned(),
                )),
            };
        };
        if self.media.is_empty() {
            self.media.clone_from(&header[place]);
        }
        let used = &column(place) | &prompts;
        match files.iter().find(|file| !used.contains(file.as_str())) {
            Some(unused) => Err(about(
                unused,
                format!("no item refers to the file {}; add one, or leave it out", quote(unused)),
            )),
            None => Ok(()),
        }
    }
}

/// Names of items for files: without their endings, unless two would be alike.
fn names(files: &[String]) -> Vec<String> {
    let stems: BTreeSet<&str> = files.iter().map(|file| stem(file)).collect();
    let short = stems.len() == files.len();
    files.iter().map(|file| if short { stem(file).to_owned() } else { file.clone() }).collect()
}

fn stem(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

fn quote(text: &str) -> String {
    rather_io::quote(text)
}

fn wrong(error: String) -> FieldError {
    FieldError { field: "media_files".to_owned(), error, file: None }
}

/// Something wrong with one of the files.
fn about(file: &str, error: String) -> FieldError {
    FieldError { file: Some(file.to_owned()), ..wrong(error) }
}

#[cfg(test)]
mod tests {
    use super::super::Subject;
    use super::*;

    fn given(items: &str, media: &str, files: &[&str]) -> Result<(String, String), String> {
        let form = StudyForm {
            subject: Subject::Items,
            items: items.into(),
            media: media.into(),
            ..StudyForm::default()
        };
        let mut form = form;
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        form.give_files(&files).map(|()| (form.items, form.media)).map_err(|wrong| wrong.error)
    }

    #[test]
    fn files_are_items_or_belong_to_them() {
        let table = |text: &str| Ok((text.to_owned(), "file".to_owned()));
        assert_eq!(given("", "", &["b.wav", "a.wav"]), table("item,file\nb,b.wav\na,a.wav\n"));
        assert_eq!(given("", "", &["a.wav", "a.mp3"]), table("item,file\na.wav,a.wav\na.mp3,a.mp3\n"));
        assert_eq!(given("a\nb.wav\n", "", &["b.wav", "a.wav"]), table("item,file\na,a.wav\nb.wav,b.wav\n"));
        let own = "tea,sound\nAssam,a.wav\nMate,b.wav\n";
        assert_eq!(given(own, "", &["a.wav", "b.wav"]), Ok((own.to_owned(), "sound".to_owned())));
        let mut form = StudyForm {
            subject: Subject::Items,
            items: "name,prompt,sound\na,p.png,a.wav\nb,p.png,b.wav\n".into(),
            within: "prompt".into(),
            ..StudyForm::default()
        };
        let files = ["p.png", "a.wav", "b.wav"].map(str::to_owned);
        assert_eq!(
            (form.give_files(&files), form.media.as_str()),
            (Ok(()), "sound"),
            "prompts are files, too"
        );
        assert_eq!(form.prompts().into_iter().collect::<Vec<_>>(), ["p.png"]);
        form.media.clear();
        assert_eq!((form.give_files(&files[..1]), form.media.as_str()), (Ok(()), ""), "of prompts alone");
        assert_eq!(given("a\nb", "", &[]), Ok(("a\nb".to_owned(), String::new())));
        for (items, media, files, part) in [
            ("a\nb", "", ["a.wav", "c.wav"], "no file is called \"b\""),
            ("tea,sound\nAssam,a.wav\n", "sound", ["a.wav", "c.wav"], "refers to the file \"c.wav\""),
            ("tea;sound\nAssam;x.wav\n", "", ["a.wav", "c.wav"], "no item refers to the files"),
            ("", "", ["a.wav", "a.wav"], "two files are called \"a.wav\""),
        ] {
            assert!(given(items, media, &files).unwrap_err().contains(part), "{items}");
        }
    }
}
