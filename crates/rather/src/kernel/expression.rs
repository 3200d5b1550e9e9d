//! Kernels as text: `se[price] * linear + white`.

use std::collections::HashSet;

use super::categorical::ATOM as CATEGORICAL;
use super::table::{self, AtomKind, Domain};
use super::{Active, Atom as Leaf, Kernel};
use crate::Error;
use crate::schema::Schema;

/// The item's name, as a column.
const ITEM: &str = "item";
/// How deep parentheses may nest.
const MAX_DEPTH: usize = 32;

/// Reads a kernel expression.
///
/// # Language
/// ```text
/// sum     = product { "+" product }
/// product = factor { "*" factor }
/// factor  = "(" sum ")" | name [ "[" feature { "," feature } "]" ]
/// ```
/// The names are those of [`ATOMS`](super::ATOMS) (`white` is also called `independent`) and of what was [registered](super::register). A feature, or a
/// column of comparisons, is a name as it stands, or in double quotes if it holds one of `,[]"` or
/// begins or ends in a space (a quote inside quotes is doubled). The item's name as a column is called `item`: `white[item]` is `white`.
///
/// # Meaning
/// - Without brackets an atom acts on all numeric features, `categorical` on all categorical ones, and no atom on columns of comparisons.
/// - If the text has neither brackets nor `categorical`, and there are categorical columns, then every term with a kernel
///   of differences (`se`, the Matérns, `rq`, `periodic`) is multiplied by `categorical`: `se` covers mixed features.
///   If there are *only* categorical columns, such a kernel becomes `categorical`.
/// - Every term of the outermost sum is scaled by a variance. So is every term but the first of a sum inside a product,
///   as the product has a variance already.
/// - With `ard`, every active column has a lengthscale of its own, otherwise one serves all columns of an atom.
/// - Lengthscales start at $\sqrt d$ for $d$ active columns (Wang and McKenna 2010, section 7.2, corrected), those of
///   `categorical` at 1, all else at 1.
///
/// # Errors
/// [`Error::KernelSyntax`], [`Error::KernelDepth`] (more than 32 parentheses in one another), [`Error::UnknownKernel`],
/// [`Error::UnknownFeature`], [`Error::KernelFeature`] for a kernel of numbers on categories or the reverse, and
/// [`Error::NoFeatures`] if there is nothing for an atom to act on.
///
/// # Examples
/// ```
/// use rather::kernel::{parse, Schema};
///
/// let schema = Schema { names: vec!["price".into(), "brand".into()], categorical: vec![false, true], context: 0 };
/// let kernel = parse("matern52", &schema, false)?;
/// assert_eq!(kernel.describe(&schema), "matern52 * categorical");
/// let message = parse("se[prize]", &schema, false).unwrap_err().to_string();
/// assert_eq!(message, "there is no feature called \"prize\"; the features are price, brand");
/// # Ok::<(), rather::Error>(())
/// ```
pub fn parse(text: &str, schema: &Schema, ard: bool) -> Result<Kernel, Error> {
    let mut parser = Parser { chars: text.chars().collect(), position: 0, schema, depth: 0 };
    let mut tree = parser.sum()?;
    parser.skip_space();
    if parser.position < parser.chars.len() {
        return Err(parser.unexpected("\"+\", \"*\" or the end"));
    }
    if !schema.columns(true).is_empty() && !tree.any(&|atom| atom.mentions_columns()) {
        tree = cover_categories(tree, schema);
    }
    let builder = Builder { schema, ard };
    let terms = terms(tree).into_iter().map(|term| Ok(builder.kernel(term)?.scaled(1.0)));
    Ok(join(terms.collect::<Result<_, Error>>()?, Kernel::Sum))
}

/// The columns that an expression names in brackets, each once, whatever else it says: to know which columns of a table are wanted before it is
/// read.
///
/// # Examples
/// ```
/// use rather::kernel::named_columns;
///
/// assert_eq!(named_columns("white[item] + linear[tokens, bold] + white[item]*wiener[date]"), ["tokens", "bold", "date"]);
/// ```
#[doc(hidden)]
pub fn named_columns(text: &str) -> Vec<String> {
    let schema = Schema::default();
    let mut parser = Parser { chars: text.chars().collect(), position: 0, schema: &schema, depth: 0 };
    let mut names: Vec<String> = Vec::new();
    loop {
        parser.take_while(|c| c != '[');
        if !parser.accept('[') {
            return names;
        }
        while let Ok(name) = parser.feature() {
            if name != ITEM && !names.contains(&name) {
                names.push(name);
            }
            if !parser.accept(',') {
                break;
            }
        }
    }
}

/// An expression as read: sums hold no sums, products no products, and both at least two parts.
enum Tree {
    Atom(Atom),
    Sum(Vec<Tree>),
    Product(Vec<Tree>),
}

/// A name with the columns in its brackets, if it has any.
struct Atom {
    word: &'static AtomKind,
    columns: Option<Vec<usize>>,
}

impl Atom {
    fn mentions_columns(&self) -> bool {
        self.columns.is_some() || self.word.domain == Domain::Categories
    }
}

impl Tree {
    fn any(&self, test: &impl Fn(&Atom) -> bool) -> bool {
        match self {
            Self::Atom(atom) => test(atom),
            Self::Sum(parts) | Self::Product(parts) => parts.iter().any(|part| part.any(test)),
        }
    }
}

fn terms(tree: Tree) -> Vec<Tree> {
    if let Tree::Sum(terms) = tree { terms } else { vec![tree] }
}

fn factors(tree: Tree) -> Vec<Tree> {
    if let Tree::Product(factors) = tree { factors } else { vec![tree] }
}

/// One part as it is, several under a new node.
fn join<T>(mut parts: Vec<T>, node: fn(Vec<T>) -> T) -> T {
    if parts.len() == 1 { parts.remove(0) } else { node(parts) }
}

/// Lets kernels of differences cover the categorical columns too.
fn cover_categories(tree: Tree, schema: &Schema) -> Tree {
    let only_categories = schema.columns(false).is_empty();
    let cover = |term: Tree| {
        if only_categories {
            return replace_differences(term);
        }
        if !term.any(&|atom| atom.word.domain == Domain::Differences) {
            return term;
        }
        let mut factors = factors(term);
        factors.push(Tree::Atom(Atom { word: &CATEGORICAL, columns: None }));
        Tree::Product(factors)
    };
    join(terms(tree).into_iter().map(cover).collect(), Tree::Sum)
}

fn replace_differences(tree: Tree) -> Tree {
    match tree {
        Tree::Atom(atom) if atom.word.domain == Domain::Differences => {
            Tree::Atom(Atom { word: &CATEGORICAL, columns: None })
        }
        Tree::Atom(atom) => Tree::Atom(atom),
        Tree::Sum(parts) => Tree::Sum(parts.into_iter().map(replace_differences).collect()),
        Tree::Product(parts) => Tree::Product(parts.into_iter().map(replace_differences).collect()),
    }
}

/// Turns a tree into a kernel with initial parameters.
struct Builder<'a> {
    schema: &'a Schema,
    ard: bool,
}

impl Builder<'_> {
    fn kernel(&self, tree: Tree) -> Result<Kernel, Error> {
        match tree {
            Tree::Atom(atom) => self.atom(atom),
            Tree::Product(factors) => {
                let factors = factors.into_iter().map(|factor| self.kernel(factor));
                Ok(Kernel::Product(factors.collect::<Result<_, _>>()?))
            }
            Tree::Sum(terms) => {
                let terms = terms.into_iter().enumerate().map(|(k, term)| {
                    let term = self.kernel(term)?;
                    Ok(if k == 0 { term } else { term.scaled(1.0) })
                });
                Ok(Kernel::Sum(terms.collect::<Result<_, Error>>()?))
            }
        }
    }

    fn atom(&self, Atom { word, columns }: Atom) -> Result<Kernel, Error> {
        let categories = word.domain == Domain::Categories;
        if word.domain == Domain::Identity {
            return Ok(Kernel::Atom(Leaf((word.make)(Active::isotropic(Vec::new(), 1.0)))));
        }
        if word.domain == Domain::Time {
            return self.process(word, columns.as_deref());
        }
        let dims = columns.unwrap_or_else(|| self.schema.columns(categories));
        if dims.is_empty() {
            let needed = match (self.schema.features() == 0, categories) {
                (true, _) => "",
                (false, true) => "categorical ",
                (false, false) => "numeric ",
            };
            return Err(Error::NoFeatures { kernel: word.name, needed });
        }
        let start = if categories { 1.0 } else { (dims.len() as f64).sqrt() };
        let active = if self.ard { Active::ard(dims, start) } else { Active::isotropic(dims, start) };
        Ok(Kernel::Atom(Leaf((word.make)(active))))
    }

    /// A process from the first time of each item.
    fn process(&self, word: &AtomKind, columns: Option<&[usize]>) -> Result<Kernel, Error> {
        let time = match columns {
            Some(&[column]) => self.schema.first_time(column).map(|first| vec![column, first]),
            _ => None,
        };
        let problem = "it acts on one column of numbers or dates of the comparisons, as in wiener[date]";
        let dims = time.ok_or(Error::KernelShape { kernel: word.name, problem })?;
        Ok(Kernel::Atom(Leaf((word.make)(Active { dims, lengthscales: Vec::new() }))))
    }
}

struct Parser<'a> {
    chars: Vec<char>,
    position: usize,
    schema: &'a Schema,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Tree, Error> {
        let mut parts = terms(self.product()?);
        while self.accept('+') {
            parts.extend(terms(self.product()?));
        }
        Ok(join(parts, Tree::Sum))
    }

    fn product(&mut self) -> Result<Tree, Error> {
        let mut parts = factors(self.factor()?);
        while self.accept('*') {
            parts.extend(factors(self.factor()?));
        }
        Ok(join(parts, Tree::Product))
    }

    fn factor(&mut self) -> Result<Tree, Error> {
        if !self.accept('(') {
            return Ok(Tree::Atom(self.atom()?));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Error::KernelDepth { position: self.position, limit: MAX_DEPTH });
        }
        let inside = self.sum()?;
        if !self.accept(')') {
            return Err(self.unexpected("\"+\", \"*\" or \")\""));
        }
        self.depth -= 1;
        Ok(inside)
    }

    fn atom(&mut self) -> Result<Atom, Error> {
        self.skip_space();
        let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
        if name.is_empty() {
            return Err(self.unexpected("the name of a kernel or \"(\""));
        }
        let Some(word) = table::find(|kind| kind.names().any(|known| known.eq_ignore_ascii_case(&name)))
        else {
            let (meant, known) = (table::meant(&name), table::known());
            return Err(Error::UnknownKernel { name, meant, known });
        };
        if !self.accept('[') {
            return Ok(Atom { word, columns: None });
        }
        // `white` is of items; in brackets it may be of the levels of columns.
        let levels = table::find(|kind| kind.name == word.name && kind.domain == Domain::Categories);
        match levels.filter(|_| word.domain == Domain::Identity) {
            Some(_) if self.is_item() => Ok(Atom { word, columns: None }),
            Some(levels) => Ok(Atom { word: levels, columns: Some(self.columns(levels)?) }),
            None => Ok(Atom { word, columns: Some(self.columns(word)?) }),
        }
    }

    /// Reads `item]`, if it is that and no column has this name.
    fn is_item(&mut self) -> bool {
        let start = self.position;
        let is = self.feature().is_ok_and(|name| name == ITEM) && self.accept(']');
        if !is || self.schema.names.iter().any(|name| name == ITEM) {
            self.position = start;
            return false;
        }
        true
    }

    fn columns(&mut self, word: &AtomKind) -> Result<Vec<usize>, Error> {
        if word.domain == Domain::Identity {
            self.position -= 1;
            return Err(self.unexpected("no bracket, as this kernel acts on no features,"));
        }
        let mut columns = Vec::new();
        let mut seen = HashSet::new();
        loop {
            self.skip_space();
            let start = self.position;
            let name = self.feature()?;
            let Some(column) = self.schema.names.iter().position(|known| *known == name) else {
                return Err(Error::UnknownFeature { name, known: self.schema.known() });
            };
            if self.schema.categorical[column] != (word.domain == Domain::Categories) {
                let needed = if self.schema.categorical[column] { "numbers" } else { "categories" };
                return Err(Error::KernelFeature { kernel: word.name, feature: name, needed });
            }
            if !seen.insert(column) {
                self.position = start;
                return Err(self.unexpected("a feature that is not in the brackets yet"));
            }
            columns.push(column);
            if self.accept(']') {
                return Ok(columns);
            }
            if !self.accept(',') {
                return Err(self.unexpected("\",\" or \"]\""));
            }
        }
    }

    fn feature(&mut self) -> Result<String, Error> {
        if !self.accept('"') {
            let name = self.take_while(|c| !",[]\"".contains(c));
            if name.trim().is_empty() {
                return Err(self.unexpected("the name of a feature"));
            }
            return Ok(name.trim().to_owned());
        }
        let mut name = String::new();
        loop {
            name += &self.take_while(|c| c != '"');
            if self.position == self.chars.len() {
                return Err(self.unexpected("a closing quote"));
            }
            self.position += 1;
            if self.chars.get(self.position) != Some(&'"') {
                return Ok(name);
            }
            name.push('"');
            self.position += 1;
        }
    }

    fn accept(&mut self, symbol: char) -> bool {
        self.skip_space();
        let found = self.chars.get(self.position) == Some(&symbol);
        self.position += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn take_while(&mut self, test: impl Fn(char) -> bool) -> String {
        let taken: String = self.chars[self.position..].iter().take_while(|c| test(**c)).collect();
        self.position += taken.chars().count();
        taken
    }

    fn unexpected(&self, expected: &'static str) -> Error {
        let found = self.chars.get(self.position).map_or("the end".into(), |c| format!("\"{c}\""));
        Error::KernelSyntax { position: self.position + 1, found, expected }
    }
}
