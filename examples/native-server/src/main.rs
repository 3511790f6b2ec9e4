//! A native agent whose typed state is live in browsers: `start.mjs` beside it builds the page and runs it.

mod agent;
mod keys;
mod live;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use live::{Live, Outgoing};
use patchwire::typed::{CommitEvent, PersistedState, StateStore, UnknownKeyPolicy};

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct App {
    store: StateStore,
    live: Arc<Live>,
    page: PathBuf,
    is_running: AtomicBool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1).cloned();
    let store = keys::store()?;
    if let Some(file) = option("--state").map(PathBuf::from) {
        if file.exists() {
            store.restore_persisted(&PersistedState::parse(std::fs::read(&file)?)?, UnknownKeyPolicy::Keep)?;
        }
        store_in(&store, file);
    }
    let session = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
    let live = Live::follow(&store, &session);
    let page = option("--page").unwrap_or_else(|| "dist".into()).into();
    let app = Arc::new(App { store, live, page, is_running: AtomicBool::new(false) });
    let routes = Router::new()
        .route("/", get(async |app: State<Arc<App>>| file(app, Path("index.html".into())).await))
        .route("/page/{name}", get(file))
        .route("/live", get(watch))
        .route("/state", get(async |app: State<Arc<App>>| app.store.snapshot().document().to_string()))
        .route("/run", post(run))
        .with_state(app);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", option("--port").map_or(Ok(0), |port| port.parse())?)).await?;
    println!("listening at http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, routes).await?)
}

/// Keeps what would be restored, commit by commit. A server for more than an example would write only what changed.
fn store_in(store: &StateStore, file: PathBuf) {
    let source = store.clone();
    store.add_hook(move |_: &CommitEvent| {
        let next = file.with_extension("next");
        let written = std::fs::write(&next, source.export_persisted().to_string()).and_then(|()| std::fs::rename(&next, &file));
        written.unwrap_or_else(|error| eprintln!("the state isn't stored: {error}"));
    });
}

async fn file(State(app): State<Arc<App>>, Path(name): Path<String>) -> impl IntoResponse {
    let (name, kind) = match name.as_str() {
        "index.html" => ("index.html", "text/html; charset=utf-8"),
        "page.js" => ("page.js", "text/javascript; charset=utf-8"),
        _ => return Err(StatusCode::NOT_FOUND),
    };
    let bytes = std::fs::read(app.page.join(name)).map_err(|_| StatusCode::NOT_FOUND)?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes))
}

/// Begins a run on the document in the body, at `?pace=` milliseconds a step.
async fn run(State(app): State<Arc<App>>, Query(options): Query<HashMap<String, u64>>, document: String) -> StatusCode {
    if app.is_running.swap(true, Ordering::AcqRel) {
        return StatusCode::CONFLICT;
    }
    let pace = Duration::from_millis(options.get("pace").copied().unwrap_or(20));
    std::thread::spawn(move || {
        if let Err(error) = agent::work(&app.store, &document, pace) {
            eprintln!("the run failed: {error}");
        }
        app.is_running.store(false, Ordering::Release);
    });
    StatusCode::ACCEPTED
}

async fn watch(State(app): State<Arc<App>>, upgrade: WebSocketUpgrade) -> impl IntoResponse {
    upgrade.on_upgrade(move |socket| connection(socket, app))
}

/// Moves frames between a socket and the server's end of the protocol.
async fn connection(mut socket: WebSocket, app: Arc<App>) {
    let (connection, mut outgoing) = app.live.open();
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
                Some(Ok(Message::Text(frame))) => app.live.receive(connection, &frame),
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
        }
    }
    app.live.closed(connection);
}
