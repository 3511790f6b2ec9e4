//! Clients that write: what they are told of it is so.

use patchwire::sync::{ConnectionId, Status};
use patchwire::{Code, Document, Error, Patch};
use serde_json::{Value, json};

use crate::world::{CHAOS, Event, World};

impl World {
    /// A client changes something of what it sees, if it can.
    pub fn write(&mut self, viewer: usize) {
        if self.now < CHAOS {
            let pause = self.random.between(1, 400);
            let next = self.random.below(self.viewers.len() as u64) as usize;
            self.after(pause, Event::Write(next));
        }
        let there = &self.viewers[viewer];
        if there.client.status() != Status::Live || there.writes.is_some() {
            return;
        }
        let Some(document) = there.client.document() else { return };
        let number = self.made.len();
        let operation = match self.random.below(5) {
            0 => json!({"op": "add", "path": "/list/-", "value": { "id": number, "text": "", "list": [] }}),
            1 => json!({"op": "replace", "path": "/text", "value": format!("of {number}")}),
            2 => json!({"op": "inc", "path": "/count", "inc": self.random.below(2)}),
            3 => json!({"op": "remove", "path": format!("/list/{}", self.random.below(3))}),
            _ => json!({"op": "add", "path": "/map/written", "value": number}),
        };
        let patch = Value::from(vec![operation]).to_string();
        // What it doesn't see it can't change.
        if document.apply(&Patch::parse(&patch).unwrap()).is_err() {
            return;
        }
        self.made.push(0);
        self.viewers[viewer].writes = Some(number);
        let insists = self.random.one_in(2);
        let effects = self.viewers[viewer].client.write(&patch, insists);
        self.follow(viewer, effects);
    }

    /// The host is to make a change that a client wrote.
    pub fn make(&mut self, socket: usize, connection: ConnectionId, id: u64, patch: &str) {
        let number = self.viewers.get(self.sockets[socket].viewer).and_then(|viewer| viewer.writes);
        let host = self.host.as_mut().unwrap();
        host.writing(connection, id);
        let applied = host.tracker().apply(&Patch::parse(patch).unwrap());
        let after: Document = host.document().clone();
        let mut result = applied;
        if result.is_ok() {
            match self.keep(after) {
                Some(0) => {
                    self.totals.count("write that storage refused");
                    result = Err(Error::new(Code::StorageFailed, "the disk is full"));
                }
                Some(_) => number.into_iter().for_each(|number| self.made[number] += 1),
                None => self.totals.count("written without a change"),
            }
        }
        match &mut self.host {
            Some(host) => {
                let effects = host.wrote(result);
                self.carry_out(effects);
            }
            // Nobody knows any more who is to be answered.
            None => {
                self.sockets[socket].open_at_server = false;
                let at = self.arrival(self.sockets[socket].last_to_client);
                self.schedule(at, Event::ClosedAtClient(socket, 1011));
            }
        }
    }

    pub fn was_written(&mut self, viewer: usize, revision: u64) {
        let number = self.viewers[viewer].writes.take().unwrap();
        self.totals.count("written");
        assert!(self.made[number] <= 1, "change {number} was made {} times", self.made[number]);
        let held = &self.viewers[viewer];
        let is_there = held.client.revision() >= revision || held.client.status() == Status::Closed || self.history.len() > 1;
        assert!(is_there, "it isn't there yet");
    }

    pub fn was_refused(&mut self, viewer: usize, code: &str) {
        let number = self.viewers[viewer].writes.take().unwrap();
        match code {
            "CLOSED" => self.totals.count("write that nobody answered"),
            "STALE_STATE" => self.totals.count("to be made again"),
            _ => assert!(["STORAGE_FAILED", "LIMIT_EXCEEDED", "FORBIDDEN_PATH"].contains(&code), "{code}"),
        }
        assert!(code == "CLOSED" || self.made[number] == 0, "change {number} was made and refused: {code}");
        assert!(self.made[number] <= 1);
    }
}
