//! Explanations: one, five libraries side by side, five rules side by side, a drawing.

use serde_json::{Value as Json, json};
use takewise_dialects::{EvalError, Face, NEUTRAL, lookup, print};
use takewise_explain::data::{Explanation, Planned};
use takewise_explain::render::{self, Language, SvgOptions};
use takewise_notation::Session;

use crate::request::Request;
use crate::{Trouble, given};

/// The library of that name; the neutral rules are called `takewise` on the page.
pub(crate) fn face(name: &str) -> Result<&'static Face, Trouble> {
    if name == "takewise" {
        return Ok(&NEUTRAL);
    }
    lookup::named(name).ok_or_else(|| Trouble::new("ValueError", format!("no library is called '{name}'")))
}

fn session(request: &Request) -> Result<Session, Trouble> {
    given::session(face(&request.dialect)?, &request.names)
}

fn explained(request: &Request) -> Result<Explanation, Trouble> {
    let explained = takewise_notation::explanation(&mut session(request)?, &request.expression);
    explained.map_err(|error| Trouble::of(&error, &request.expression))
}

/// What the library prints for the call, if it is not too much to show.
fn printed(request: &Request) -> Result<Option<String>, Trouble> {
    let value = session(request)?.exec(&request.expression);
    Ok(value.ok().flatten().map(|value| print::repr(&value)))
}

/// One explanation, and what the library prints for an expression that has a value.
pub(crate) fn one(request: &Request) -> Result<Json, Trouble> {
    let explanation = explained(request)?;
    let printed = match explanation.error {
        Some(_) => None,
        None if explanation.results.iter().any(|result| result.values.is_none()) => None,
        None => printed(request)?,
    };
    let said = said(&explanation, language(request));
    Ok(json!({ "explanation": explanation, "printed": printed, "said": said }))
}

fn language(request: &Request) -> Language {
    if request.language == "zh" { Language::Chinese } else { Language::English }
}

/// What the engine says of the plans' strategies and promises, by its words, in those of the language that is asked for.
fn said(explanation: &Explanation, language: Language) -> Json {
    let of_plan = |plan: &Planned| {
        let reasons = plan.strategies.iter().map(|strategy| strategy.reason.clone());
        reasons.chain([plan.promise.clone()]).collect::<Vec<_>>()
    };
    let all = explanation.plans.iter().flat_map(of_plan);
    let other = all.filter_map(|text| {
        let other = render::reason(&text, language).to_owned();
        (other != text).then(|| (text, Json::from(other)))
    });
    Json::Object(other.collect())
}

/// The call under each library's rules.
pub(crate) fn libraries(request: &Request) -> Result<Json, Trouble> {
    let faces = match &request.libraries[..] {
        [] => ["torch", "numpy", "mindspore", "jax", "takewise"].map(face).into_iter().collect(),
        some => some.iter().map(|name| face(name)).collect::<Result<Vec<_>, _>>(),
    }?;
    let compared = takewise_notation::side_by_side(&mut session(request)?, &request.expression, &faces);
    compared_json(compared, request)
}

/// The call under each rule for values out of range.
pub(crate) fn rules(request: &Request) -> Result<Json, Trouble> {
    compared_json(takewise_notation::bounds(&mut session(request)?, &request.expression), request)
}

fn compared_json(
    compared: Result<takewise_explain::Comparison, EvalError>,
    request: &Request,
) -> Result<Json, Trouble> {
    let compared = compared.map_err(|error| Trouble::of(&error, &request.expression))?;
    Ok(json!({ "comparison": compared }))
}

/// The drawing of the call.
pub(crate) fn svg(request: &Request) -> Result<Json, Trouble> {
    let options = SvgOptions { language: language(request), ..SvgOptions::default() };
    Ok(json!({ "svg": render::svg(&explained(request)?, &options) }))
}
