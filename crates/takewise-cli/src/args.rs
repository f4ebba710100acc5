//! The command line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use takewise_dialects::{Face, TORCH, lookup};
use takewise_files::{Columnar, Mark, TextSpec};

use crate::explain::Forms;
use crate::opener::{MISSED, Opener};

/// Evaluate tensor index expressions on npy, npz and safetensors files.
///
/// The notation is that of PyTorch, NumPy, MindSpore and JAX: subscripts, gather, scatter, take, masks,
/// searchsorted, with the results and errors those libraries define. Exit status: 0 on success, 1 if an
/// expression, file or transcript fails, 2 if the command line is wrong, 3 if a document shows nothing to compare.
#[derive(Debug, Parser)]
#[command(name = "takewise", version, about, arg_required_else_help = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The arguments of this program, whose help tells what `opener` reads and writes.
pub fn parse(opener: &dyn Opener) -> Args {
    let matches = command(opener).get_matches();
    Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// The command line, with the formats that are there.
pub(crate) fn command(opener: &dyn Opener) -> clap::Command {
    let there = |form: &Form| form.columnar().is_none() || opener.tables().is_some();
    let ends: Vec<String> =
        Form::ENDS.iter().filter(|(_, form)| there(form)).map(|(end, _)| format!(".{end}")).collect();
    let missed = if opener.tables().is_none() { format!(" {MISSED}") } else { String::new() };
    let output = format!(
        "Write the result to this file instead of printing it; `-` is standard output. Its end tells the format: {}.{missed}",
        ends.join(", ")
    );
    let forms = Form::value_variants().iter().filter_map(|form| Some(form.to_possible_value()?.hide(!there(form))));
    let parser =
        clap::builder::PossibleValuesParser::new(forms).try_map(|name| <Form as ValueEnum>::from_str(&name, false));
    Args::command().mut_subcommand("eval", |eval| {
        eval.mut_arg("output", |arg| arg.help(output)).mut_arg("format", |arg| arg.value_parser(parser))
    })
}

/// The commands.
#[derive(Debug, Subcommand)]
#[allow(missing_docs)] // a doc comment on a flattened field would become help text
pub enum Command {
    /// Evaluate an expression, or statements separated by `;`, and print or write the result.
    ///
    /// Example: takewise eval 'x[idx, 1:3]' x=table.npy idx=ids.npy -o rows.npy
    Eval {
        /// The expression.
        expression: String,
        #[command(flatten)]
        inputs: Inputs,
        #[command(flatten)]
        output: Output,
    },
    /// Check documents: run their code and compare what they show with what it gives.
    ///
    /// Pages may be as they are copied from the web, in any language. Prose, headings and formulas are passed over, and
    /// blanks that were lost do not matter. What is wrong in a page is said with its line and what is right. A file of
    /// Python is run as a script. Outputs may stand below a statement, in the next block, behind a comment (`x.shape  # (2, 3)`),
    /// or after a word such as `Output:`. What looks like one and belongs to no statement is named as not compared. Exit
    /// status: 1 if an output or an equation does not hold, or code fails; 3 if a page has nothing that could be compared.
    Run {
        /// Text or Markdown, with or without `>>>`; `-` is standard input.
        #[arg(required = true, value_name = "PAGE")]
        pages: Vec<PathBuf>,
        /// Compare outputs letter by letter, as for one's own documents.
        #[arg(long)]
        strict: bool,
        /// Library that bare names and files speak for.
        #[arg(long, value_enum)]
        dialect: Option<Dialect>,
    },
    /// Evaluate interactively, with history, completion and multi-line input.
    Repl {
        #[command(flatten)]
        inputs: Inputs,
    },
    /// Say what a call does to each element: where it comes from, by which index, and what becomes of those that meet.
    ///
    /// Statements before the last are run; the last is made on copies, so that no array and no file changes. A call that
    /// fails is explained too, and the exit status is then 1.
    ///
    /// Example: takewise explain 'x[0, :, i]' x=table.npy i=ids.npy --html rows.html
    Explain {
        /// The expression.
        expression: String,
        #[command(flatten)]
        inputs: Inputs,
        #[command(flatten)]
        forms: Forms,
    },
    /// Describe this build, or the tensors in files.
    Info {
        /// Files to describe.
        files: Vec<PathBuf>,
        #[command(flatten)]
        raw: Raw,
        #[command(flatten)]
        csv: Csv,
    },
    /// Print what makes a shell complete this command.
    ///
    /// Example: takewise completions bash > ~/.local/share/bash-completion/completions/takewise
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page of this command, or of one of its commands.
    ///
    /// Example: takewise man eval | man -l -
    Man {
        /// One of the commands.
        command: Option<String>,
    },
}

/// Inputs of an expression.
#[derive(Debug, clap::Args)]
#[allow(missing_docs)]
pub struct Inputs {
    /// A name for the tensor of a file: `x=table.npy`, `w=model.safetensors#layer.weight`, `p=prices.csv#close`. `x=-` is standard
    /// input.
    #[arg(value_name = "NAME=FILE")]
    pub bindings: Vec<OsString>,
    /// Library whose rules, printing and errors apply; by default that of the names used.
    #[arg(long, value_enum)]
    pub dialect: Option<Dialect>,
    #[command(flatten)]
    pub raw: Raw,
    #[command(flatten)]
    pub csv: Csv,
}

/// How to read tables of text.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Tables of text")]
pub struct Csv {
    /// The first line holds names. Otherwise it does where each of its cells can only be a name.
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// The first line holds values.
    #[arg(long)]
    pub no_header: bool,
    /// What stands between cells: a character, `tab` or `blanks`. Otherwise the first line tells.
    #[arg(long, value_name = "MARK")]
    pub delimiter: Option<Mark>,
    /// Cells that are empty, NA, N/A, null or None hold no value: NaN, or NaT among dates. Otherwise they are errors.
    #[arg(long)]
    pub missing: bool,
}

impl Csv {
    /// The options as the reader takes them.
    pub(crate) fn spec(&self) -> TextSpec {
        let header = (self.header || self.no_header).then_some(self.header);
        TextSpec { header, delimiter: self.delimiter, missing: self.missing }
    }
}

/// How to read files without a header.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Raw {
    /// Element type of raw files, e.g. float32.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    pub dtype: Option<takewise::DType>,
    /// Shape of raw files, e.g. 1000,64; one extent may be -1.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub shape: Option<Vec<i64>>,
}

/// What becomes of a result.
#[derive(Debug, Default, clap::Args)]
#[allow(missing_docs)]
pub struct Output {
    /// Write the result to this file instead of printing it; `-` is standard output. Its end tells the format.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format, whatever the file is called; csv, tsv and json are printed where there is no file.
    #[arg(short, long, value_enum)]
    pub format: Option<Form>,
    /// Print the result as JSON: short for --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Print how many elements the result has, how many are missing (NaN or NaT), the least and the greatest, and of numbers the
    /// mean and the standard deviation, with --json as an object.
    #[arg(long, conflicts_with_all = ["output", "format"])]
    pub summary: bool,
}

/// The formats of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// NumPy's single array.
    Npy,
    /// NumPy's zip of arrays.
    Npz,
    /// Named tensors with a JSON header.
    Safetensors,
    /// Bytes only.
    Raw,
    /// Lines of numbers with commas between them.
    Csv,
    /// Lines of numbers with tabs between them.
    Tsv,
    /// Lists within lists.
    Json,
    /// Columns, compressed. Of the command that reads and writes them, as the two below.
    Parquet,
    /// Columns as they are in memory: Arrow's IPC file, which is Feather too.
    Arrow,
    /// The same as a stream.
    ArrowStream,
}

impl Form {
    /// The ends of names that mean a format, the usual one of each first. What is not among them is no format.
    pub const ENDS: [(&'static str, Self); 15] = [
        ("npy", Self::Npy),
        ("npz", Self::Npz),
        ("safetensors", Self::Safetensors),
        ("bin", Self::Raw),
        ("raw", Self::Raw),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("tab", Self::Tsv),
        ("json", Self::Json),
        ("parquet", Self::Parquet),
        ("pq", Self::Parquet),
        ("arrow", Self::Arrow),
        ("feather", Self::Arrow),
        ("ipc", Self::Arrow),
        ("arrows", Self::ArrowStream),
    ];

    /// The format that the end of a name means.
    pub fn of_extension(path: &Path) -> Option<Self> {
        let end = path.extension()?.to_str()?;
        Self::ENDS.iter().find(|(known, _)| end.eq_ignore_ascii_case(known)).map(|(_, form)| *form)
    }

    /// What is said of a name that ends in none of them.
    pub(crate) fn unknown() -> String {
        let ends: Vec<String> = Self::ENDS.iter().map(|(end, _)| format!(".{end}")).collect();
        format!("cannot tell the format; use {}, or --format", ends.join(", "))
    }

    /// Which form of a table that is no text it is.
    pub(crate) fn columnar(self) -> Option<Columnar> {
        match self {
            Self::Parquet => Some(Columnar::Parquet),
            Self::Arrow => Some(Columnar::Arrow),
            Self::ArrowStream => Some(Columnar::ArrowStream),
            _ => None,
        }
    }
}

/// An element type as libraries write it: `float32`, `torch.float32`, `f4`, `<f4`.
fn parse_dtype(text: &str) -> Result<takewise::DType, String> {
    let name =
        ["torch.", "np.", "numpy.", "mindspore.", "jnp."].iter().find_map(|p| text.strip_prefix(p)).unwrap_or(text);
    let little = cfg!(target_endian = "little");
    let code = name.strip_prefix(['=', '|', if little { '<' } else { '>' }]).unwrap_or(name);
    let name = match code {
        "?" | "b1" => "bool",
        "u1" | "B" => "uint8",
        "u2" => "uint16",
        "u4" => "uint32",
        "u8" => "uint64",
        "i1" | "b" => "int8",
        "i2" => "int16",
        "i4" => "int32",
        "i8" => "int64",
        "f2" | "e" => "float16",
        "bf16" | "bf2" => "bfloat16",
        "f4" | "f" => "float32",
        "f8" | "d" => "float64",
        "c8" => "complex64",
        "c16" => "complex128",
        _ => name,
    };
    takewise::DType::from_name(name).ok_or_else(|| {
        let swapped = text.starts_with(if little { '>' } else { '<' });
        let order = if swapped { "raw files are read in this machine's byte order; " } else { "" };
        format!("{order}not a dtype; try bool, uint8, int64, float16, bfloat16, float32, complex64, or f4, i8, u1, ...")
    })
}

/// The libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// PyTorch.
    Torch,
    /// NumPy.
    Numpy,
    /// MindSpore.
    Mindspore,
    /// JAX.
    Jax,
    /// The library's own rules: negative indices count from the end, anything outside is an error.
    Neutral,
}

impl Dialect {
    /// The data behind the name.
    pub fn face(self) -> &'static Face {
        let name = self.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
        lookup::named(&name).unwrap_or(&TORCH)
    }
}

/// Splits `name=file#key`.
///
/// # Errors
/// One line saying what is wrong with it.
pub fn binding(text: &OsStr) -> Result<(String, PathBuf, Option<String>), String> {
    let shown = || takewise_files::plain(&text.to_string_lossy()).into_owned();
    let bytes = text.as_encoded_bytes();
    let at = bytes.iter().position(|b| *b == b'=').ok_or_else(|| format!("'{}' is not NAME=FILE", shown()))?;
    let name = String::from_utf8_lossy(&bytes[..at]);
    let mut letters = name.chars();
    let identifier = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_');
    if !identifier {
        return Err(format!("'{}' in '{}' is not a name", takewise_files::plain(&name), shown()));
    }
    let file = &bytes[at + 1..];
    if file.is_empty() {
        return Err(format!("'{}' names no file", shown()));
    }
    let (path, key) = place(file);
    let key =
        key.map(|key| String::from_utf8(key.to_vec()).map_err(|_| format!("'{}': the name is not UTF-8", shown())));
    let path = native(path).ok_or_else(|| format!("'{}' is not the name of a file", shown()))?;
    Ok((name.into_owned(), path, key.transpose()?))
}

/// The path of a part of an argument.
fn native(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(std::os::unix::ffi::OsStrExt::from_bytes(bytes)).map(|path: &OsStr| path.into());
    #[cfg(not(unix))]
    return std::str::from_utf8(bytes).ok().map(PathBuf::from);
}

/// Splits `file#key`. Files and tensors may both have a `#` in their names, so the longest part that is there decides, a file
/// before a folder; where none is, a known extension.
fn place(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let at = |at: usize| (&text[..at], Some(&text[at + 1..]));
    let marks = || (0..text.len()).rev().filter(|&k| text[k] == b'#').map(at);
    let wholes = || std::iter::once((text, None)).chain(marks());
    let find = |fits: &dyn Fn(&Path) -> bool| wholes().find(|(path, _)| native(path).is_some_and(|path| fits(&path)));
    let told = |path: &Path| Form::of_extension(path).is_some();
    find(&|path| path.exists() && !path.is_dir())
        .or_else(|| find(&Path::is_dir))
        .or_else(|| find(&told))
        .or_else(|| marks().next())
        .unwrap_or((text, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opener::Files;

    #[test]
    fn the_command_line_is_consistent() {
        command(&Files).debug_assert();
    }

    #[test]
    fn dtypes_as_libraries_write_them() {
        use takewise::DType;
        for text in ["float32", "torch.float32", "np.float32", "f4", "<f4", "=f4", "float"] {
            let read = parse_dtype(text);
            assert_eq!(read, Ok(DType::F32), "{text}");
        }
        assert_eq!((parse_dtype("|u1"), parse_dtype("?")), (Ok(DType::U8), Ok(DType::Bool)));
        assert_eq!((parse_dtype("bf16"), parse_dtype("c8")), (Ok(DType::BF16), Ok(DType::C64)));
        assert!(parse_dtype(">f4").is_err() && parse_dtype("f3").is_err());
    }

    #[test]
    fn the_help_of_output_names_the_ends_that_are_there() {
        let mut command = command(&Files);
        let help = command.find_subcommand_mut("eval").unwrap().render_long_help().to_string();
        for (end, form) in Form::ENDS {
            assert_eq!(help.contains(&format!(".{end}")), form.columnar().is_none(), "{end}");
        }
        assert!(!help.contains("- arrow") && help.contains("- csv"), "{help}");
        // What is not there is named where it is asked for, not as a mistake of the command line.
        assert!(command.try_get_matches_from(["takewise", "eval", "x", "--format", "parquet"]).is_ok());
    }

    #[test]
    fn bindings() {
        let binding = |text: &str| binding(OsStr::new(text));
        assert_eq!(binding("x=a.npy"), Ok(("x".into(), "a.npy".into(), None)));
        assert_eq!(binding("w=m.safetensors#a.b"), Ok(("w".into(), "m.safetensors".into(), Some("a.b".into()))));
        let split = |file: &str| binding(&format!("w={file}")).unwrap();
        assert_eq!(split("m.safetensors#a#b"), ("w".into(), "m.safetensors".into(), Some("a#b".into())));
        assert_eq!(split("m#1.npz#a"), ("w".into(), "m#1.npz".into(), Some("a".into())));
        assert_eq!(split("m.npz#"), ("w".into(), "m.npz".into(), Some(String::new())));
        assert_eq!(split("-"), ("w".into(), "-".into(), None));
        assert_eq!(split("-#a"), ("w".into(), "-".into(), Some("a".into())));
        assert_eq!(split("no.csv#a,b"), ("w".into(), "no.csv".into(), Some("a,b".into())));
        assert_eq!(split("raw#1"), ("w".into(), "raw".into(), Some("1".into())));
        assert!(binding("a.npy").is_err());
        assert!(binding("1x=a.npy").is_err());
        assert!(binding("x=").is_err());
    }
}
