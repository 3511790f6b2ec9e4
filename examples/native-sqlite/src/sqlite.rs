//! The tables of a state in SQLite: what is read of them, and what commits write.

use std::error::Error as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use patchwire::store::{LogText, Meta, Reading, RowOperation, Rows};
use patchwire::{Code, Error, Result};
use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, params};

/// The first transaction takes the file for as long as the process lives, so that another process can't write to it.
const OPEN: &str = "
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS meta (id INTEGER PRIMARY KEY, format INTEGER, session TEXT, tail INTEGER, folding INTEGER);
    CREATE TABLE IF NOT EXISTS roots (id INTEGER PRIMARY KEY, hash INTEGER, text TEXT);
    CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY, hash INTEGER, text TEXT);
    CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, last INTEGER, hash INTEGER, patch TEXT);
    COMMIT;
";

#[derive(Debug)]
pub struct Sqlite {
    connection: Mutex<Connection>,
}

impl Sqlite {
    /// # Errors
    /// `SQLITE_BUSY` after five seconds in which another process had the file.
    pub fn open(file: &Path) -> rusqlite::Result<Sqlite> {
        let connection = Connection::open(file)?;
        connection.execute_batch(OPEN)?;
        Ok(Sqlite { connection: Mutex::new(connection) })
    }

    /// Refuses to let the file have more pages than this, of 4,096 bytes each.
    pub fn limit(&self, pages: u32) -> rusqlite::Result<()> {
        self.connection().pragma_update(None, "max_page_count", pages)
    }

    /// An id that nobody else has.
    pub fn random_id(&self) -> rusqlite::Result<String> {
        self.connection().query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))
    }

    /// Writes all of these rows, or none.
    pub fn execute(&self, rows: &[RowOperation]) -> rusqlite::Result<()> {
        let mut connection = self.connection();
        // It is rolled back where it is dropped.
        let transaction = connection.transaction()?;
        for row in rows {
            write(&transaction, row)?;
        }
        transaction.commit()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn first<T>(&self, query: &str, values: impl Params, read: impl FnOnce(&Row) -> rusqlite::Result<T>) -> Result<Option<T>> {
        let connection = self.connection();
        let found = connection.prepare_cached(query).and_then(|mut query| query.query_row(values, read).optional());
        found.map_err(unreadable)
    }

    fn all<T>(&self, query: &str, values: impl Params, read: impl FnMut(&Row) -> rusqlite::Result<T>) -> Result<Vec<T>> {
        let connection = self.connection();
        let found = connection.prepare_cached(query).and_then(|mut query| query.query_map(values, read)?.collect());
        found.map_err(unreadable)
    }
}

fn write(transaction: &Transaction, row: &RowOperation) -> rusqlite::Result<()> {
    let run = |statement: &str, values: &[&dyn rusqlite::ToSql]| transaction.prepare_cached(statement)?.execute(values);
    match row {
        RowOperation::PutMeta { format, session, tail, folding } => {
            run("INSERT OR REPLACE INTO meta VALUES (1, ?, ?, ?, ?)", params![int(*format), session, int(*tail), int(*folding)])
        }
        RowOperation::PutRoot { revision, hash, text } => {
            run("INSERT OR REPLACE INTO roots VALUES (?, ?, ?)", params![int(*revision), int(*hash), &**text])
        }
        RowOperation::DeleteRoot { revision } => run("DELETE FROM roots WHERE id = ?", params![int(*revision)]),
        RowOperation::PutChunk { id, hash, text } => {
            run("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?)", params![int(*id), int(*hash), &**text])
        }
        RowOperation::DeleteChunk { id } => run("DELETE FROM chunks WHERE id = ?", params![int(*id)]),
        RowOperation::PutLog { id, last, hash, patch } => {
            run("INSERT INTO log VALUES (?, ?, ?, ?)", params![int(*id), int(*last), int(*hash), &**patch])
        }
        RowOperation::AppendLog { id, last, hash, patch } => {
            let statement = "UPDATE log SET last = ?2, hash = ?3, patch = patch || char(10) || ?4
                WHERE id = ?1 AND last = ?2 - 1 AND id = (SELECT MAX(id) FROM log)";
            // The row isn't what this session has written: somebody else has.
            match run(statement, params![int(*id), int(*last), int(*hash), &**patch])? {
                1 => Ok(1),
                rows => Err(rusqlite::Error::StatementChangedRows(rows)),
            }
        }
        RowOperation::DeleteLog { from, before } => run("DELETE FROM log WHERE id >= ? AND id < ?", params![int(*from), int(*before)]),
    }
    .map(drop)
}

impl Rows for Sqlite {
    fn meta(&self) -> Result<Option<Meta>> {
        self.first("SELECT format, session, tail, folding FROM meta", [], |row| {
            Ok(Meta { format: number(row, 0)?, session: row.get(1)?, tail: number(row, 2)?, folding: number(row, 3)? })
        })
    }

    fn chunk(&self, id: u64) -> Result<Option<(u64, Vec<u8>)>> {
        self.first("SELECT hash, text FROM chunks WHERE id = ?", [int(id)], |row| Ok((number(row, 0)?, text(row, 1)?)))
    }

    fn left(&self, ids: &[u64]) -> Result<Vec<u64>> {
        // A list of numbers is printed as JSON has it.
        let ids = format!("{ids:?}");
        self.all("SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each(?))", [ids], |row| number(row, 0))
    }

    fn hashes(&self, from: u64) -> Result<Vec<(u64, u64)>> {
        self.all("SELECT id, hash FROM chunks WHERE id >= ? ORDER BY id", [int(from)], |row| Ok((number(row, 0)?, number(row, 1)?)))
    }

    fn roots(&self) -> Result<Vec<u64>> {
        self.all("SELECT id FROM roots ORDER BY id", [], |row| number(row, 0))
    }

    fn root(&self, revision: u64) -> Result<Option<(u64, Vec<u8>)>> {
        self.first("SELECT hash, text FROM roots WHERE id = ?", [int(revision)], |row| Ok((number(row, 0)?, text(row, 1)?)))
    }

    fn log(&self, from: u64) -> Result<Option<LogText>> {
        self.first("SELECT id, last, hash, patch FROM log WHERE id >= ? ORDER BY id LIMIT 1", [int(from)], |row| {
            Ok(LogText { id: number(row, 0)?, last: number(row, 1)?, hash: number(row, 2)?, text: text(row, 3)? })
        })
    }

    fn logged(&self, from: u64, before: u64, most: usize) -> Result<Vec<u64>> {
        let values = [int(from), int(before), int(most as u64)];
        self.all("SELECT id FROM log WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?", values, |row| number(row, 0))
    }

    fn now(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
    }

    /// What the state gave since has `null` where it couldn't be read, so it can't be sent to anybody. Clients keep what they
    /// have until the process has been started again.
    fn failed(&self, error: &Error, _: Reading) {
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        eprintln!("the state can't be read: {error}{cause}");
        std::process::exit(1);
    }
}

/// SQLite's integers have a sign, which none of these numbers needs.
fn int(number: u64) -> i64 {
    number as i64
}

fn number(row: &Row, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(|number: i64| number as u64)
}

fn text(row: &Row, column: usize) -> rusqlite::Result<Vec<u8>> {
    row.get(column).map(String::into_bytes)
}

fn unreadable(error: rusqlite::Error) -> Error {
    Error::new(Code::StorageFailed, "the database can't be read").caused_by(error)
}
