//! What is still whole of tables that are damaged.

use std::sync::Arc;

use super::chunks::Reader;
use super::fold::{CHUNK, Fold};
use super::log::SHARED;
use super::patches::{Room, hash_of, replay};
use super::rows::{Meta, Rows};
use super::{Base, FORMAT, LAST_REVISION, PARTS, RowOperation, Woken, checked_id};
use crate::document::Document;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// Behind all ids of the log that there will be, as a JavaScript number.
const END: u64 = (LAST_REVISION + 1) * PARTS - 1;

/// The newest state that is whole, as a revision of its own, and the rows to write for that.
///
/// ```
/// use patchwire::session::Session;
/// use patchwire::store::{Repair, Tables};
/// use patchwire::{Document, Limits};
///
/// let mut tables = Tables::default();
/// let (mut session, rows) = Session::create("a-session", Document::parse(r#"{"n":1}"#).unwrap(), tables.rows()).unwrap();
/// tables.execute(&rows);
/// for letter in ["x", "y", "z"] {
///     session.tracker().set("/text", &letter.repeat(8_000)).unwrap();
///     tables.execute(&session.commit().unwrap().unwrap().rows);
///     let _ = session.accept();
/// }
/// assert!(Repair::plan(tables.rows(), "another-session").unwrap().is_none());
///
/// tables.delete_log(2 * 4096);
/// let repair = Repair::plan(tables.rows(), "another-session").unwrap().unwrap();
/// assert_eq!((repair.restored, repair.newest, repair.revision), (1, 3, 4));
/// assert_eq!(repair.damage.row, Some(("log", 2 * 4096)));
/// tables.execute(&repair.operations);
/// let session = Session::wake(tables.open(Limits::default()).unwrap().unwrap());
/// assert_eq!((session.id(), session.revision()), ("another-session", 4));
/// ```
#[derive(Debug)]
pub struct Repair {
    /// The revision whose state it is.
    pub restored: u64,
    /// The newest revision that there may have been.
    pub newest: u64,
    /// The number that the state has from now on: none of the lost ones is used again.
    pub revision: u64,
    /// What was damaged, or the first of it.
    pub damage: Error,
    /// What to write, in this order and in one transaction.
    pub operations: Vec<RowOperation>,
}

impl Repair {
    /// Looks for it; `None` where nothing is damaged of the present state. The session is another one, because clients may
    /// have seen revisions that are lost. O(state), a chunk at a time in memory.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an id of more than 100 bytes; where no state is whole, what is damaged, as [`Woken::read`]; what reading
    /// gives.
    pub fn plan(rows: Arc<dyn Rows>, session: impl Into<String>) -> Result<Option<Repair>> {
        let session = checked_id(session.into())?;
        let damage = match damage(&rows) {
            Ok(()) => return Ok(None),
            Err(damage) => damage,
        };
        if rows.meta()?.is_some_and(|Meta { format, .. }| format != FORMAT) {
            return Err(damage);
        }
        let roots = rows.roots()?;
        for revision in roots.iter().rev().copied() {
            let reader = Arc::new(Reader::of_damaged(rows.clone()));
            let Ok(base) = Base::read(&reader, revision) else { continue };
            let state = Document { root: base.state.clone(), limits: Limits::none() };
            let (state, restored, _) = replay(&reader, state, revision, LAST_REVISION, &mut { Room::ALL })?;
            if is_whole(&reader, &state) {
                let newest = restored.max(roots.last().copied().unwrap_or(0)).max(newest(&*rows)?).min(LAST_REVISION - 1);
                match Repair::to(&reader, session.clone(), base, (state, restored), newest, damage.clone()) {
                    // Of the base was damaged what the state hasn't any more.
                    Err(error) if error.row.is_some() => {}
                    repair => return repair.map(Some),
                }
            }
        }
        Err(damage)
    }

    fn to(reader: &Arc<Reader>, session: String, base: Base, whole: (Document, u64), newest: u64, damage: Error) -> Result<Repair> {
        let (rows, revision, (state, restored)) = (&reader.rows, newest + 1, whole);
        let mut operations = vec![RowOperation::PutMeta { format: FORMAT, session, tail: 0, folding: 0 }];
        let later = rows.roots()?.into_iter().filter(|root| *root > base.root.revision);
        operations.extend(later.map(|revision| RowOperation::DeleteRoot { revision }));
        operations.push(RowOperation::DeleteLog { from: (restored + 1) * PARTS, before: END });
        operations.extend(rows.hashes(base.root.next)?.into_iter().map(|(id, _)| RowOperation::DeleteChunk { id }));
        let (chunks, mut done) =
            Fold::begin(reader.clone(), CHUNK, &state.root, Some((&base.state, base.layout)), base.root.next)?.rest()?;
        operations.extend(chunks);
        let root = base.root.followed_by(revision, &mut done, 0, (revision + 1) * PARTS, rows.now());
        operations.push(root.row(&done.text));
        reader.check()?;
        Ok(Repair { restored, newest, revision, damage, operations })
    }
}

/// What is wrong with the present state, if something is.
fn damage(rows: &Arc<dyn Rows>) -> Result<()> {
    let Some(Woken { store, document, .. }) = Woken::read_by(Arc::new(Reader::of_damaged(rows.clone())), Limits::none())? else {
        return Ok(());
    };
    is_whole(&store.reader, &document);
    store.check()
}

/// Reads all of a state, and keeps none of it.
fn is_whole(reader: &Reader, state: &Document) -> bool {
    state.root.read_all();
    reader.check().is_ok()
}

/// The newest revision that there may have been.
fn newest(rows: &dyn Rows) -> Result<u64> {
    let logged = rows.logged(0, END, 1)?.first().copied().unwrap_or(0);
    let id = rows.meta()?.map_or(0, |meta| meta.tail).max(logged);
    let row = rows.log(id)?.filter(|row| row.id == id);
    // The number in the row has no hash, and may be the damaged one; each patch is a line.
    let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count() as u64;
    let known = row.filter(|row| hash_of(id, &row.text) == row.hash).map(|row| row.last.max(id / PARTS + lines(&row.text)));
    // Of a row that is lost or damaged nobody knows how many patches it had: fewer than bytes.
    Ok(known.unwrap_or(id / PARTS + SHARED as u64).max(id / PARTS))
}
