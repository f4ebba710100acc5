//! What becomes of a result: shown, printed as a table or as JSON, or written to a file.

use std::io::Write;
use std::path::Path;

use takewise_dialects::{NUMPY, Value, object};
use takewise_files::{self as files, Columnar, Destination, FileError, Format};

use crate::args::{Form, Output};
use crate::opener::{self, Opener, Tables};
use crate::{json, summary, tables};

/// What was asked for, with nothing left to be wrong about the file.
pub(crate) enum Target<'a> {
    /// As the library prints it.
    Shown,
    /// Text of a form, on standard output.
    Printed(Form),
    /// A summary on standard output, as JSON or as lines.
    Summary { json: bool },
    /// Text of a form, in a file.
    Text(Destination, Form),
    /// Columns of a form, in a file that this writes.
    Columns(Destination, Columnar, &'a dyn Tables),
    /// A tensor file, whose format its destination tells.
    Tensors(Destination),
}

impl<'a> Target<'a> {
    /// Reads the options.
    ///
    /// # Errors
    /// A format that needs a file or another build, a file that cannot be written.
    pub(crate) fn of(asked: Output, opener: &'a dyn Opener) -> Result<Self, String> {
        if asked.summary {
            return Ok(Self::Summary { json: asked.json });
        }
        let form = asked.format.or(asked.json.then_some(Form::Json));
        let Some(path) = asked.output else {
            return match form {
                None => Ok(Self::Shown),
                Some(form) if is_text(form) => Ok(Self::Printed(form)),
                Some(_) => Err("this format is not text: give a file with -o, or `-o -` for a pipe".into()),
            };
        };
        let plain = |e: FileError| e.to_string();
        let pipe = (path == Path::new("-")).then_some(Form::Npy);
        let told = form.or_else(|| Form::of_extension(&path)).or(pipe);
        let form = told.ok_or_else(|| plain(FileError::new(&path, Form::unknown())))?;
        if let Some(columnar) = form.columnar() {
            let tables = opener::tables(columnar, opener).map_err(|text| plain(FileError::new(&path, text)))?;
            return Destination::of(path, Format::Raw).map(|to| Self::Columns(to, columnar, tables)).map_err(plain);
        }
        let format = match form {
            _ if is_text(form) && path == Path::new("-") => return Ok(Self::Printed(form)),
            Form::Npy => Format::Npy,
            Form::Npz => Format::Npz,
            Form::Safetensors => Format::SafeTensors,
            _ => Format::Raw,
        };
        let text = is_text(form);
        Destination::of(path, format)
            .map(|to| if text { Self::Text(to, form) } else { Self::Tensors(to) })
            .map_err(plain)
    }

    /// Whether standard output belongs to the result, so that what the code prints goes elsewhere.
    pub(crate) fn takes_output(&self) -> bool {
        match self {
            Self::Shown => false,
            Self::Printed(_) | Self::Summary { .. } => true,
            Self::Text(to, _) | Self::Columns(to, ..) | Self::Tensors(to) => to.path() == Path::new("-"),
        }
    }

    /// Writes a value to the file, or gives the text to print.
    ///
    /// # Errors
    /// A value that the form has no place for; a file that cannot be written. Nothing is written then.
    pub(crate) fn put(&self, value: &Value) -> Result<Option<String>, String> {
        match self {
            Self::Shown => Ok(None),
            Self::Printed(form) => text(*form, value).map(Some),
            Self::Summary { json } => {
                let summary = match entries(value).as_deref() {
                    Some([(_, tensor)]) => summary::of(tensor)?,
                    Some(several) => {
                        return Err(format!("a summary is of one array, the result has {}", several.len()));
                    }
                    None => return Err(format!("a {} has no summary", value.type_name())),
                };
                if *json { summary::object(&summary).map(Some) } else { Ok(Some(summary::lines(&summary))) }
            }
            Self::Text(to, form) => {
                let text = text(*form, value)?;
                let entries = entries(value).unwrap_or_default();
                let write = |mut file: &std::fs::File| file.write_all(text.as_bytes()).map_err(|e| e.to_string());
                files::save_as(to, &entries, write).map(|()| None).map_err(|e| e.to_string())
            }
            Self::Columns(to, form, opened) => {
                let entries = named(value)?;
                let (columns, rows) = tables::columns(&entries)?;
                let write = |file: &std::fs::File| opened.write(file, *form, &columns, rows);
                files::save_as(to, &entries, write).map(|()| None).map_err(|e| e.to_string())
            }
            Self::Tensors(to) => {
                let unfit = || format!("a {} cannot be written to a tensor file", value.type_name());
                let entries = entries(value).ok_or_else(unfit)?;
                files::save(to, &entries).map(|()| None).map_err(|e| e.to_string())
            }
        }
    }
}

fn is_text(form: Form) -> bool {
    matches!(form, Form::Csv | Form::Tsv | Form::Json)
}

fn text(form: Form, value: &Value) -> Result<String, String> {
    let mark = match form {
        Form::Tsv => b'\t',
        Form::Csv => b',',
        _ => return json::json(value).map_err(|e| e.to_string()),
    };
    let mut out = Vec::new();
    tables::write(&mut out, &named(value)?, mark)?;
    String::from_utf8(out).map_err(|e| e.to_string())
}

/// The tensors of a table, under the names of a record's fields.
fn named(value: &Value) -> Result<Vec<files::Entry>, String> {
    let mut entries = entries(value).ok_or_else(|| format!("a {} is no table", value.type_name()))?;
    if let Value::Record(record, _) = value {
        entries.iter_mut().zip(record.fields).for_each(|((name, _), field)| *name = (*field).to_owned());
    }
    Ok(entries)
}

/// The tensors to write for a value: one, or those of a tuple or list.
fn entries(value: &Value) -> Option<Vec<files::Entry>> {
    match value {
        Value::Array(array) => Some(vec![(String::new(), array.tensor())]),
        Value::Tuple(_) | Value::Record(..) | Value::List(_) => {
            let items = value.items()?;
            items.iter().map(|v| Some((String::new(), v.array()?.tensor()))).collect()
        }
        number => Some(vec![(String::new(), object::to_tensor(number, &NUMPY).ok()?)]),
    }
}
