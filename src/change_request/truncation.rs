//! Losses that look as if a model had cut its answer short.

use super::walk::Dropped;
use super::warning::{Severity, Warning, WarningCode};
use crate::edit::{self, Step};
use crate::node::{Array, Node, Object, Opened};
use crate::text::{self, number};

/// How losses are noticed. Percentages are of what was there, lengths in UTF-16 code units.
///
/// ```
/// use patchwire::{ChangeOptions, ChangeRequest, Document, Truncation};
///
/// let state = Document::parse(format!(r#"{{"text":"{}"}}"#, "x".repeat(1_000))).unwrap();
/// let request = ChangeRequest::parse(format!(r#"{{"updateElements":{{"text":"{}"}}}}"#, "x".repeat(50))).unwrap();
/// let options = ChangeOptions { truncation: Some(Truncation::default()), ..ChangeOptions::default() };
/// let changed = request.apply(&state, &options).unwrap();
/// assert_eq!(changed.warnings[0].message, "Content reduced by 95.0% (from 1000 to 50 characters)");
/// let options = ChangeOptions { truncation: Some(Truncation { content: 96.0, ..Truncation::default() }), ..ChangeOptions::default() };
/// assert!(request.apply(&state, &options).unwrap().warnings.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Truncation {
    /// A text must have had this length to be looked at: 100.
    pub length: usize,
    /// A text that lost more than this is told: 70.
    pub content: f64,
    /// A text that lost more than this is told as critical: 90.
    pub content_critical: f64,
    /// An array that lost more of its items than this is told: 50.
    pub items: f64,
    /// An array that lost more of its items than this is told as high: 80.
    pub items_high: f64,
    /// An object that lost more of its members than this is told: 50.
    pub members: f64,
    /// An object that lost more of its members than this is told as critical: 80.
    pub members_critical: f64,
    /// The whole state is told where it lost more of its members than this: 30.
    pub structure: f64,
    /// If it had more members than this: 5.
    pub structure_members: usize,
    /// A text longer than this that became a placeholder is told: 50.
    pub placeholder: usize,
    /// What else a text that was cut short has in it, beside `...` or `etc` at its end, `[truncated]`, `[shortened]` and
    /// `and more`.
    pub marks: Vec<String>,
}

impl Default for Truncation {
    fn default() -> Truncation {
        Truncation {
            length: 100,
            content: 70.0,
            content_critical: 90.0,
            items: 50.0,
            items_high: 80.0,
            members: 50.0,
            members_critical: 80.0,
            structure: 30.0,
            structure_members: 5,
            placeholder: 50,
            marks: Vec::new(),
        }
    }
}

impl Truncation {
    /// Compares two states; items that were deleted are known, so that the others are compared with themselves.
    pub(super) fn look(&self, before: &Node, after: &Node, dropped: &Dropped, warnings: &mut Vec<Warning>) {
        Look { rules: self, dropped, warnings, path: Vec::new(), now: Vec::new() }.compare(before, after);
        if let (Opened::Object(old), Opened::Object(new)) = (before.open(), after.open())
            && old.len() > self.structure_members
        {
            let lost = percent(old.len(), new.len());
            if lost > self.structure {
                let message = ["Significant portion of payload structure missing (", &*tenths(lost), "%)"].concat();
                warnings.push(Warning::new(WarningCode::StructureMissing, Severity::High, &[], message));
            }
        }
    }
}

struct Look<'t> {
    rules: &'t Truncation,
    dropped: &'t Dropped,
    warnings: &'t mut Vec<Warning>,
    path: Vec<Step>,
    /// The place in the state after the request.
    now: Vec<Step>,
}

impl Look<'_> {
    fn compare(&mut self, before: &Node, after: &Node) {
        if before.is_same(after) {
            return;
        }
        match (before.open(), after.open()) {
            (Opened::Text(old), Opened::Text(new)) => self.texts(old, new),
            (Opened::Array(old), Opened::Array(new)) => self.arrays(&old, &new),
            (Opened::Object(old), Opened::Object(new)) => self.objects(&old, &new),
            (Opened::Array(_), new) => self.kinds("array", &new),
            (Opened::Object(_), new) => self.kinds("object", &new),
            _ => {}
        }
    }

    fn warn(&mut self, code: WarningCode, severity: Severity, message: &[&str]) {
        let warning = Warning::new(code, severity, &self.path, message.concat());
        let after = (self.now != self.path).then(|| edit::display(&self.now));
        self.warnings.push(Warning { after, ..warning });
    }

    fn below(&mut self, step: Step, now: Step, before: &Node, after: &Node) {
        self.path.push(step);
        self.now.push(now);
        self.compare(before, after);
        self.now.pop();
        self.path.pop();
    }

    fn texts(&mut self, old: &[u8], new: &[u8]) {
        let rules = self.rules;
        let [length, left] = [old, new].map(text::utf16_len);
        if length > rules.placeholder && is_placeholder(new) && old != new {
            self.warn(WarningCode::Placeholder, Severity::Medium, &["Complex content replaced with placeholder"]);
        }
        if length < rules.length {
            return;
        }
        let lost = percent(length, left);
        if lost > rules.content {
            let severity = if lost > rules.content_critical { Severity::Critical } else { Severity::High };
            let [before, after] = [length, left].map(number::text);
            self.warn(
                WarningCode::ContentReduced,
                severity,
                &["Content reduced by ", &tenths(lost), "% (from ", &before, " to ", &after, " characters)"],
            );
        }
        if marks(new, &rules.marks).zip(marks(old, &rules.marks)).any(|(now, then)| now && !then) {
            self.warn(WarningCode::TruncationMark, Severity::Medium, &["Content appears to be truncated (detected truncation pattern)"]);
        }
    }

    fn arrays(&mut self, old: &Array, new: &Array) {
        let lost = percent(old.len(), new.len());
        if lost > self.rules.items {
            let severity = if lost > self.rules.items_high { Severity::High } else { Severity::Medium };
            let [before, after] = [old.len(), new.len()].map(number::text);
            self.warn(
                WarningCode::ArrayReduced,
                severity,
                &["Array reduced by ", &tenths(lost), "% (from ", &before, " to ", &after, " items)"],
            );
        }
        let dropped = self.dropped.of(&self.path);
        let is_kept = |index: &usize| dropped.binary_search(index).is_err();
        for ((index, before), (now, after)) in old.iter().enumerate().filter(|(index, _)| is_kept(index)).zip(new.iter().enumerate()) {
            self.below(Step::Index(index), Step::Index(now), before, after);
        }
    }

    fn objects(&mut self, old: &Object, new: &Object) {
        let gone: Vec<&Node> = old.iter().filter(|(key, _)| new.get(key).is_none()).map(|(_, value)| value).collect();
        let lost = percent(old.len(), old.len() - gone.len());
        let full = gone.iter().filter(|value| !matches!(value, Node::Null) && value.as_text() != Some(b"")).count();
        if lost > self.rules.members && full > 0 {
            let severity = if lost > self.rules.members_critical { Severity::Critical } else { Severity::High };
            self.warn(
                WarningCode::KeysRemoved,
                severity,
                &[&number::text(full), " non-empty keys removed (", &tenths(lost), "% reduction)"],
            );
        }
        for key in old.changed_keys(new) {
            if let (Some(before), Some(after)) = (old.get(&key), new.get(&key)) {
                self.below(Step::Key(key.clone()), Step::Key(key), before, after);
            }
        }
    }

    fn kinds(&mut self, old: &str, new: &Opened<'_>) {
        let new = match new {
            Opened::Null => return,
            Opened::Bool(_) => "boolean",
            Opened::Number(_) => "number",
            Opened::Text(_) => "string",
            Opened::Array(_) => "array",
            Opened::Object(_) => "object",
        };
        self.warn(WarningCode::TypeChanged, Severity::High, &["Type changed from ", old, " to ", new, " (potential data loss)"]);
    }
}

/// How much is gone, in percent; less than nothing where something came.
fn percent(before: usize, after: usize) -> f64 {
    if before == 0 { 0.0 } else { (before as f64 - after as f64) / before as f64 * 100.0 }
}

/// With one decimal.
fn tenths(percent: f64) -> String {
    let tenths = (percent * 10.0).round().max(0.0) as usize;
    [&*number::text(tenths / 10), ".", &number::text(tenths % 10)].concat()
}

/// For each mark whether the text has it.
fn marks<'m>(text: &'m [u8], more: &'m [String]) -> impl Iterator<Item = bool> + 'm {
    let ends = [&b"..."[..], b"etc", b"etc."]
        .map(|end| text.len().checked_sub(end.len()).and_then(|at| text.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end)));
    let [dots, etc, etc_dot] = ends;
    let known = [&b"[truncated]"[..], b"[shortened]", b"and more"].into_iter().chain(more.iter().map(String::as_bytes));
    [dots, etc || etc_dot].into_iter().chain(known.map(|mark| contains(text, mark)))
}

fn contains(text: &[u8], mark: &[u8]) -> bool {
    !mark.is_empty() && text.windows(mark.len()).any(|part| part.eq_ignore_ascii_case(mark))
}

/// `TODO: …`, `TBD`, `[…]` or `<…>`, on one line.
fn is_placeholder(text: &[u8]) -> bool {
    let starts = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"TODO:"));
    let is_bracketed = matches!(text, [b'[', .., b']'] | [b'<', .., b'>']) && !text.contains(&b'\n');
    starts || is_bracketed || text.eq_ignore_ascii_case(b"TBD")
}
