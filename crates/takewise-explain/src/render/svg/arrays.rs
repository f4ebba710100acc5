//! Arrays as grids, and arrows between their elements.

use std::collections::HashMap;
use std::fmt::Write;

use super::canvas::{Canvas, EDGE, mono};
use unicode_width::UnicodeWidthStr;

use crate::data::Explanation;
use crate::render::sheet::{Face, Mark, Sheet, Which, letter};
use crate::render::words::Words;
use crate::render::xml::{COLORS, escape};

/// The height of an element.
pub(super) const TALL: i64 = 36;
/// Between panels, and between arrays.
const GAP: i64 = 28;

/// How wide an element is whose value has so many characters.
pub(super) fn cell_width(characters: i64) -> i64 {
    (characters * 85 / 10 + 27).clamp(38, 200)
}

/// Where elements stand, by whether they are of a result, by array and position.
pub(super) type Spots = HashMap<(bool, usize, usize), Spot>;

/// The place of an element in the picture.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    /// Its middle.
    x: i64,
    y: i64,
    wide: i64,
    /// Where the elements of its array begin and end.
    top: i64,
    bottom: i64,
    /// Whether no element of its array stands above or below it.
    alone: bool,
    /// Room for the numbers of columns.
    head: i64,
}

/// A sheet with its place.
struct Boxed<'a> {
    sheet: &'a Sheet,
    x: i64,
    y: i64,
    wide: i64,
    /// Room for the numbers of rows.
    label: i64,
    per_row: usize,
    size: (i64, i64),
    /// How far from the left the name stands, beside the elements; it stands above them if this is zero.
    aside: i64,
}

impl<'a> Boxed<'a> {
    /// How large a sheet is within a width. Where arrows arrive, its name stands beside the elements if there is room.
    fn of(sheet: &'a Sheet, room: i64, arrows: bool) -> Boxed<'a> {
        let grid = &sheet.grid;
        let widest = sheet.faces.iter().map(|face| face.value.width()).max().unwrap_or(0);
        let heads = grid.columns.last().map_or(0, |k| mono(&k.to_string()));
        let wide = cell_width(widest as i64).max(heads).min(200);
        let label = if grid.edges == 2 { grid.rows.last().map_or(0, |k| mono(&k.to_string())) + 8 } else { 0 };
        let panel = label + wide * grid.columns.len() as i64;
        let per_row = ((room + GAP) / (panel + GAP)).clamp(1, grid.panels.len().max(1) as i64) as usize;
        let rows = grid.panels.len().div_ceil(per_row) as i64;
        let (name, about) = (mono(&sheet.name), sheet.about.width() as i64 * 7);
        let panels = (panel + GAP) * per_row as i64 - GAP;
        let aside = panels + 12;
        let beside = arrows && sheet.grid.drawn() > 0 && aside + name.max(about) <= room;
        let aside = if beside { aside } else { 0 };
        let width = if beside { aside + name.max(about) } else { panels.max((name + about + 16).min(room)) };
        let height = 26 + rows * (Self::head(sheet) + TALL * grid.rows.len() as i64 + 10) - 10;
        Boxed { sheet, x: 0, y: 0, wide, label, per_row, size: (width, height.max(50)), aside }
    }

    /// Height of what stands above the elements of a panel.
    fn head(sheet: &Sheet) -> i64 {
        let outer = sheet.grid.panels.first().is_some_and(|panel| sheet.grid.label(*panel).is_some());
        i64::from(sheet.grid.edges > 0) * 18 + i64::from(outer) * 18
    }
}

/// All sheets of one side, in rows. Spots are filled. What is drawn comes back in two parts: elements, which lie below the
/// arrows, and names, which lie above them.
/// Where they all fit side by side, their middle comes as near to `middle` as can be.
pub(super) fn place(
    canvas: &mut Canvas,
    sheets: &[&Sheet],
    middle: Option<i64>,
    spots: &mut Spots,
    w: &Words,
) -> [String; 2] {
    let (room, mut x, mut tall) = (canvas.room(), EDGE, 0);
    let boxed = |sheet| Boxed::of(sheet, room, middle.is_some());
    let wide: i64 = sheets.iter().map(|sheet| boxed(sheet).size.0 + GAP + 8).sum::<i64>() - GAP - 8;
    if let Some(middle) = middle.filter(|_| wide < room) {
        // The last name is no place where arrows arrive.
        let name = sheets
            .last()
            .map(|sheet| boxed(sheet))
            .filter(|last| last.aside > 0)
            .map_or(0, |last| last.size.0 - last.aside);
        x = (middle - (wide - name) / 2).clamp(EDGE, EDGE + room - wide);
    }
    let (mut below, mut above) = (Canvas::new(canvas.width), Canvas::new(canvas.width));
    for (k, sheet) in sheets.iter().enumerate() {
        let mut boxed = boxed(sheet);
        if k > 0 && x > EDGE && x + boxed.size.0 > EDGE + room {
            canvas.y += tall + GAP;
            (x, tall) = (EDGE, 0);
        }
        (boxed.x, boxed.y) = (x, canvas.y);
        x += boxed.size.0 + GAP + 8;
        tall = tall.max(boxed.size.1);
        draw([&mut below, &mut above], &boxed, spots, w);
    }
    canvas.y += tall;
    canvas.used = canvas.used.max(above.used).max(below.used);
    [below.out, above.out]
}

fn draw([below, above]: [&mut Canvas; 2], boxed: &Boxed<'_>, spots: &mut Spots, w: &Words) {
    let (sheet, grid) = (boxed.sheet, &boxed.sheet.grid);
    let (name, about) = match boxed.aside {
        0 => ([boxed.x, boxed.y + 14], [boxed.x + mono(&sheet.name) + 10, boxed.y + 14]),
        aside => {
            let top = boxed.y + 26 + Boxed::head(sheet);
            ([boxed.x + aside, top + 14], [boxed.x + aside, top + 31])
        }
    };
    above.text(name[0], name[1], "tw-n", "start", &sheet.name);
    above.text(about[0], about[1], "tw-s", "start", &sheet.about);
    if grid.drawn() == 0 || !sheet.known && sheet.faces.iter().all(|face| face.group.is_none()) {
        let text = if grid.of == 0 { w.empty } else { w.not_shown };
        above.text(boxed.x, boxed.y + 38, "tw-s", "start", text);
        return;
    }
    let (head, panel_wide) = (Boxed::head(sheet), boxed.label + boxed.wide * grid.columns.len() as i64);
    let panel_tall = head + TALL * grid.rows.len() as i64 + 10;
    let per_panel = grid.rows.len() * grid.columns.len();
    for (k, panel) in grid.panels.iter().enumerate() {
        let x = boxed.x + (k % boxed.per_row) as i64 * (panel_wide + GAP);
        let y = boxed.y + 26 + (k / boxed.per_row) as i64 * panel_tall;
        if let Some(label) = grid.label(*panel) {
            above.text(x + boxed.label, y + 12, "tw-s", "start", &label);
        }
        let (left, top) = (x + boxed.label, y + head);
        if grid.edges > 0 {
            for (c, column) in grid.columns.iter().enumerate() {
                let middle = left + boxed.wide * c as i64 + boxed.wide / 2;
                above.text(middle, top - 5, "tw-k", "middle", &column.to_string());
            }
        }
        if grid.edges == 2 {
            for (r, row) in grid.rows.iter().enumerate() {
                above.text(left - 6, top + TALL * r as i64 + TALL / 2 + 4, "tw-k", "end", &row.to_string());
            }
        }
        for (n, face) in sheet.faces[k * per_panel..(k + 1) * per_panel].iter().enumerate() {
            let (r, c) = ((n / grid.columns.len()) as i64, (n % grid.columns.len()) as i64);
            let at = [left + c * boxed.wide, top + r * TALL, boxed.wide, TALL];
            element(below, face, at);
            let key = match sheet.which {
                Which::Operand(k) => (false, k, face.at),
                Which::Result(k) => (true, k, face.at),
            };
            let spot = Spot {
                x: at[0] + at[2] / 2,
                y: at[1] + TALL / 2,
                wide: boxed.wide,
                top: boxed.y + 26 + head,
                bottom: boxed.y + 26 + panel_tall * grid.panels.len().div_ceil(boxed.per_row) as i64 - 10,
                alone: grid.rows.len() == 1 && grid.panels.len() <= boxed.per_row,
                head: if grid.edges > 0 { 17 } else { 1 },
            };
            spots.insert(key, spot);
        }
    }
}

/// The style of a group's elements.
pub(super) fn colored(group: Option<usize>) -> String {
    match group.map(|group| group % COLORS) {
        Some(k) => format!("fill:var(--f{k});stroke:var(--e{k})"),
        None => String::new(),
    }
}

/// One element: its value, the letter of its group, its mark.
pub(super) fn element(canvas: &mut Canvas, face: &Face, at: [i64; 4]) {
    let [x, y, wide, tall] = at;
    let _ = writeln!(canvas.out, "<g><title>{}</title>", escape(&face.note));
    let (class, style) = match face.mark {
        Mark::Bad => ("tw-c tw-b", String::new()),
        Mark::Filled => ("tw-c tw-f", colored(face.group)),
        Mark::Before => ("tw-c tw-before", String::new()),
        Mark::Dropped => ("tw-c tw-d", colored(face.group)),
        _ => ("tw-c", colored(face.group)),
    };
    canvas.rect([x + 1, y + 1, wide - 2, tall - 2], class, &style);
    if face.mark == Mark::Bad {
        canvas.path(&hatch(x + 2, y + 2, wide - 4, tall - 4), "tw-x", "");
    }
    if let Some(group) = face.group {
        canvas.text(x + 5, y + 12, "tw-l", "start", &letter(group));
    }
    let sign = face.sign();
    if !sign.is_empty() {
        canvas.text(x + wide - 5, y + 12, "tw-l", "end", &sign);
    }
    let shown = shorten(&face.value, wide - 12);
    let class = if face.mark == Mark::Crossed { "tw-v tw-o" } else { "tw-v" };
    canvas.text(x + wide / 2, y + tall / 2 + 8, class, "middle", &shown);
    if face.mark == Mark::Dropped && !shown.is_empty() {
        let half = mono(&shown) / 2 + 3;
        canvas.path(&format!("M{} {}h{}", x + wide / 2 - half, y + tall / 2 + 3, 2 * half), "tw-r", "");
    }
    if face.differs {
        canvas.rect([x + 1, y + 1, wide - 2, tall - 2], "tw-ne", "");
    }
    canvas.out.push_str("</g>\n");
}

/// A value cut to a width.
fn shorten(value: &str, room: i64) -> String {
    if mono(value) <= room {
        return value.to_owned();
    }
    let mut out = String::new();
    for c in value.chars() {
        if mono(&out) + 18 > room {
            break;
        }
        out.push(c);
    }
    out + "…"
}

/// Lines from lower left to upper right across a rectangle.
fn hatch(x: i64, y: i64, wide: i64, tall: i64) -> String {
    let mut data = String::new();
    for start in (8..wide + tall).step_by(9).take(60) {
        let (x1, y1) = if start <= tall { (0, start) } else { (start - tall, tall) };
        let (x2, y2) = if start <= wide { (start, 0) } else { (wide, start - wide) };
        let _ = write!(data, "M{} {}L{} {}", x + x1, y + y1, x + x2, y + y2);
    }
    data
}

/// An arrow: from where to where, in which group, whether it takes part.
pub(super) struct Arrow {
    from: Spot,
    to: Spot,
    group: Option<usize>,
    used: bool,
}

/// The sources of the results' elements that are drawn, with the places they go to once those are known.
pub(super) fn joined(e: &Explanation, sheets: &[Sheet], spots: &Spots, most: usize) -> Vec<Arrow> {
    let mut out = Vec::new();
    for sheet in sheets {
        let Which::Result(k) = sheet.which else { continue };
        let Some(outcome) = e.results.get(k) else { continue };
        let groups: HashMap<usize, Option<usize>> = sheet.faces.iter().map(|face| (face.at, face.group)).collect();
        for cell in outcome.cells.iter().filter(|cell| groups.contains_key(&cell.at)) {
            for source in &cell.sources {
                let from = source.operand.and_then(|operand| spots.get(&(false, operand, source.at)));
                // Before the results are placed only the sources count.
                let Some(from) = from else { continue };
                let to = spots.get(&(true, k, cell.at)).unwrap_or(from);
                out.push(Arrow { from: *from, to: *to, group: groups[&cell.at], used: source.used });
                if out.len() > most {
                    return Vec::new();
                }
            }
        }
    }
    out
}

/// The middle of where arrows come from.
pub(super) fn middle(arrows: &[Arrow]) -> Option<i64> {
    let n = arrows.len() as i64;
    (n > 0).then(|| arrows.iter().map(|arrow| arrow.from.x).sum::<i64>() / n)
}

/// Draws arrows. Where rows lie above one another, they run between the columns, so that they cross no element.
pub(super) fn draw_arrows(canvas: &mut Canvas, arrows: &[Arrow]) {
    for Arrow { from, to, group, used } in arrows {
        let group = group.map_or(7, |group| group % COLORS);
        // Arrows of different groups side by side, where they share a way.
        let apart = (group % 3) as i64 * 2 - 2;
        let mut line = String::new();
        let (x1, y1) = if from.alone {
            let _ = write!(line, "M{} {}", from.x, from.y + TALL / 2);
            (from.x, from.y + TALL / 2)
        } else {
            let x = from.x + from.wide / 2 + apart;
            let _ = write!(line, "M{} {}H{x}V{}", from.x + from.wide / 2 - 5, from.y, from.bottom);
            (x, from.bottom)
        };
        let side = to.x - to.wide / 2 + apart;
        let (x2, y2) = if to.alone { (to.x, to.top - to.head - 7) } else { (side, to.top - to.head) };
        let bend = ((y2 - y1) / 2).clamp(20, 80);
        let _ = write!(line, "C{x1} {} {x2} {} {x2} {y2}", y1 + bend, y2 - bend);
        let head = if to.alone {
            format!("M{x2} {}l-4 -8h8z", y2 + 7)
        } else {
            let _ = write!(line, "V{}H{}", to.y + 6, to.x - to.wide / 2 + 3);
            format!("M{} {}l-7 -4v8z", to.x - to.wide / 2 + 9, to.y + 6)
        };
        let class = if *used { "tw-a" } else { "tw-a tw-u" };
        canvas.path(&line, class, &format!("stroke:var(--e{group})"));
        canvas.path(&head, "tw-p", &format!("fill:var(--e{group})"));
        if !from.alone {
            let dot = format!("M{} {}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", from.x + from.wide / 2 - 5, from.y);
            canvas.path(&dot, "tw-dot", &format!("fill:var(--e{group})"));
        }
    }
}
