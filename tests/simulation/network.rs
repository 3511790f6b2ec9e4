//! Connections: in order, with delays, until they break or fall silent.

use std::sync::Arc;

use patchwire::sync::ConnectionId;

use crate::world::{CHAOS, Event, World};

pub struct Socket {
    pub viewer: usize,
    pub number: u32,
    /// The server's name for it, while the server is in memory.
    pub connection: Option<ConnectionId>,
    pub attachment: String,
    pub open_at_server: bool,
    pub open_at_client: bool,
    /// Half open: swallows everything, and nobody is told.
    pub black: bool,
    /// When the last frame of each direction arrives: the order within a connection holds.
    pub last_to_server: u64,
    pub last_to_client: u64,
}

impl Socket {
    pub fn new(viewer: usize, number: u32) -> Socket {
        let (connection, attachment) = (None, String::new());
        let (open_at_server, open_at_client, black) = (false, true, false);
        Socket { viewer, number, connection, attachment, open_at_server, open_at_client, black, last_to_server: 0, last_to_client: 0 }
    }
}

impl World {
    /// Each direction delivers what was to arrive before some instant, and nothing after it.
    pub fn break_connection(&mut self, socket: usize) {
        let (at_server, at_client) = (self.now + self.random.below(300), self.now + self.random.below(300));
        self.queue.retain(|(at, _), event| match event {
            Event::ToServer(on, _) => *on != socket || *at <= at_server,
            Event::ToClient(on, _) | Event::Woken(on) => *on != socket || *at <= at_client,
            _ => true,
        });
        if !self.sockets[socket].black {
            self.schedule(at_client, Event::ClosedAtClient(socket, 1006));
        }
        self.sockets[socket].black = true;
        if self.host.is_some() {
            self.schedule(at_server, Event::ClosedAtServer(socket));
        } else {
            self.sockets[socket].open_at_server = false;
        }
    }

    pub fn send_to_client(&mut self, socket: usize, text: Arc<String>) {
        if self.sockets[socket].black {
            return;
        }
        let at = self.arrival(self.sockets[socket].last_to_client);
        if self.hostile && self.now < CHAOS {
            match self.random.below(40) {
                0 => return self.totals.count("lost frame"),
                1 => self.schedule(at + 40, Event::ToClient(socket, text.clone())),
                2 => return self.schedule(at + 200, Event::ToClient(socket, text)),
                3 => return self.schedule(at, Event::ToClient(socket, text.chars().take(text.len() / 2).collect::<String>().into())),
                _ => {}
            }
        }
        self.sockets[socket].last_to_client = at;
        self.schedule(at, Event::ToClient(socket, text));
    }

    pub fn send_to_server(&mut self, socket: usize, text: String) {
        if self.sockets[socket].black {
            return;
        }
        let at = self.arrival(self.sockets[socket].last_to_server);
        if self.hostile && self.now < CHAOS {
            match self.random.below(40) {
                0 => return self.totals.count("lost frame"),
                1 => self.schedule(at + 40, Event::ToServer(socket, text.clone())),
                2 => return self.schedule(at, Event::ToServer(socket, text.chars().take(text.len() / 2).collect())),
                _ => {}
            }
        }
        self.sockets[socket].last_to_server = at;
        self.schedule(at, Event::ToServer(socket, text));
    }

    pub fn arrival(&mut self, last: u64) -> u64 {
        let delay = if self.random.one_in(20) { self.random.between(100, 3_000) } else { self.random.between(1, 60) };
        last.max(self.now + delay)
    }

    pub fn after(&mut self, pause: u64, event: Event) {
        self.schedule(self.now + pause, event);
    }

    pub fn schedule(&mut self, at: u64, event: Event) {
        self.scheduled += 1;
        self.queue.insert((at, self.scheduled), event);
    }
}
