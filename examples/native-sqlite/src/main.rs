//! Notes that last: a state in SQLite, live for everybody who connects.
//! `cargo run -- --state notes.db --port 9000`, then `curl -d 'a note' localhost:9000/notes`.

mod live;
mod sqlite;

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use live::{Live, Outgoing};
use serde::Serialize;
use sqlite::Sqlite;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Serialize)]
struct Note {
    text: String,
    /// Milliseconds since 1970.
    at: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1);
    let database = Arc::new(Sqlite::open(Path::new(option("--state").map_or("notes.db", |file| file)))?);
    if let Some(pages) = option("--pages") {
        database.limit(pages.parse()?)?;
    }
    let live = Arc::new(Live::open(database, r#"{"notes":[]}"#)?);
    let routes = Router::new()
        .route("/live", get(watch))
        .route("/state", get(async |live: State<Arc<Live>>| live.text()))
        .route("/notes", post(add))
        .with_state(live);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", option("--port").map_or(Ok(0), |port| port.parse())?)).await?;
    println!("listening at http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, routes).await?)
}

/// Adds the body to the notes. The answer is the revision that has it, and comes when that is on disk; meanwhile others wait.
async fn add(State(live): State<Arc<Live>>, text: String) -> Result<String, (StatusCode, String)> {
    let note = Note { text, at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64) };
    let revision = live.commit(|tracker| tracker.insert("/notes/-", &note));
    revision.map(|revision| revision.to_string()).map_err(|error| (StatusCode::SERVICE_UNAVAILABLE, error.to_string()))
}

async fn watch(State(live): State<Arc<Live>>, upgrade: WebSocketUpgrade) -> impl IntoResponse {
    upgrade.on_upgrade(move |socket| connection(socket, live))
}

/// Moves frames between a socket and the session.
async fn connection(mut socket: WebSocket, live: Arc<Live>) {
    let (connection, mut outgoing) = live.connect();
    loop {
        tokio::select! {
            frame = outgoing.recv() => {
                let sent = match frame {
                    Some(Outgoing::Frame(text)) => socket.send(Message::Text((&*text).into())).await,
                    Some(Outgoing::Close(code, reason)) => socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await,
                    None => break,
                };
                if sent.is_err() {
                    break;
                }
            }
            message = socket.recv() => match message {
                Some(Ok(Message::Text(frame))) => live.receive(connection, &frame),
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
        }
    }
    live.closed(connection);
}
