//! Which keys a store knows.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::batch::place;
use super::snapshot::{Held, Values};
use super::{KeyScope, StateKey};
use crate::document::{decode, encode};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::node::Node;

/// How a key's value is kept.
///
/// ```
/// use patchwire::typed::KeyOptions;
///
/// let options = KeyOptions { persistent: false, ..KeyOptions::default() };
/// assert!(!options.retain_on_uninstall);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyOptions {
    /// Whether it is exported: true unless said otherwise.
    pub persistent: bool,
    /// Whether its value is kept aside, and exported, while the plugin that registered it isn't installed: false unless
    /// said otherwise.
    pub retain_on_uninstall: bool,
}

impl Default for KeyOptions {
    fn default() -> KeyOptions {
        KeyOptions { persistent: true, retain_on_uninstall: false }
    }
}

/// What brings keys along.
///
/// ```
/// use patchwire::typed::{KeyOptions, Plugin, PluginRegistrar, StateKey, StateStore};
///
/// struct Visits;
///
/// impl StateKey for Visits {
///     const KEY: &'static str = "visits";
///     type Value = u32;
///     type Update = ();
///
///     fn apply(visits: &mut u32, (): ()) {
///         *visits += 1;
///     }
/// }
///
/// struct Counting;
///
/// impl Plugin for Counting {
///     fn name(&self) -> &str {
///         "counting"
///     }
///
///     fn register(&self, registrar: &mut PluginRegistrar) -> patchwire::Result<()> {
///         registrar.register_key::<Visits>(KeyOptions { retain_on_uninstall: true, ..KeyOptions::default() })
///     }
/// }
///
/// let store = StateStore::new();
/// store.install_plugin(&Counting).unwrap();
/// let mut batch = store.begin_mutation();
/// batch.update::<Visits>(());
/// store.commit(batch).unwrap();
/// store.uninstall_plugin("counting").unwrap();
/// assert_eq!(store.read::<Visits>(), None);
/// store.install_plugin(&Counting).unwrap();
/// assert_eq!(store.read::<Visits>(), Some(1));
/// ```
pub trait Plugin {
    /// By which it is uninstalled.
    fn name(&self) -> &str;

    /// Registers its keys.
    ///
    /// # Errors
    /// Those of [`PluginRegistrar::register_key`]; nothing is installed then.
    fn register(&self, registrar: &mut PluginRegistrar) -> Result<()>;
}

/// Takes a plugin's keys.
#[derive(Default)]
pub struct PluginRegistrar {
    pub(super) keys: Vec<Registration>,
}

impl PluginRegistrar {
    /// Registers a key.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` where a key of that name was registered already.
    pub fn register_key<K: StateKey>(&mut self, options: KeyOptions) -> Result<()> {
        self.keys.iter().try_for_each(|registered| vacant(registered, K::KEY))?;
        self.keys.push(Registration::of::<K>(options));
        Ok(())
    }
}

impl std::fmt::Debug for PluginRegistrar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|one| one.key)).finish()
    }
}

fn vacant(registered: &Registration, key: &str) -> Result<()> {
    if registered.key != key {
        return Ok(());
    }
    Err(Error::new(Code::ValidationFailed, "a key of this name is registered already").on(place(key)))
}

/// A registered key, with what its type would know.
#[derive(Clone, Copy)]
pub(super) struct Registration {
    pub key: &'static str,
    pub key_type: TypeId,
    pub scope: KeyScope,
    pub options: KeyOptions,
    encode: fn(&Values, &Limits) -> Option<Result<Node>>,
    decode: fn(&Node) -> Result<Held>,
}

impl Registration {
    pub fn of<K: StateKey>(options: KeyOptions) -> Registration {
        Registration {
            key: K::KEY,
            key_type: TypeId::of::<K>(),
            scope: K::SCOPE,
            options,
            encode: |values, limits| values.get::<K>().map(|value| encode(value, limits)),
            decode: |node| Ok(Arc::new(decode::<K::Value>(node)?)),
        }
    }

    /// The key's value as JSON, if it has one.
    pub fn encode(&self, values: &Values, limits: &Limits) -> Result<Option<Node>> {
        let encoded = (self.encode)(values, limits).transpose();
        encoded.map_err(|error| error.below(place(self.key)))
    }

    /// A value read from JSON.
    pub fn decode(&self, value: &Node) -> Result<Held> {
        (self.decode)(value).map_err(|error| error.below(place(self.key)))
    }
}

/// The keys by their names.
#[derive(Default)]
pub(super) struct Registry {
    keys: BTreeMap<&'static str, Registration>,
    plugins: BTreeMap<String, Vec<Registration>>,
}

impl Registry {
    pub fn get(&self, key: &str) -> Option<&Registration> {
        self.keys.get(key)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Registration> {
        self.keys.values()
    }

    /// The key's registration, if it is of this type.
    pub fn known(&self, key: &'static str, key_type: TypeId) -> Result<&Registration> {
        let registered = self.keys.get(key).filter(|registered| registered.key_type == key_type);
        registered.ok_or_else(|| Error::new(Code::PathNotFound, "the key isn't registered").on(place(key)))
    }

    pub fn check(&self, added: &[Registration], plugin: Option<&str>) -> Result<()> {
        if plugin.is_some_and(|name| self.plugins.contains_key(name)) {
            return Err(Error::new(Code::ValidationFailed, "a plugin of this name is installed already"));
        }
        added.iter().try_for_each(|one| self.keys.get(one.key).map_or(Ok(()), |registered| vacant(registered, one.key)))
    }

    pub fn add(&mut self, added: Vec<Registration>, plugin: Option<&str>) {
        self.keys.extend(added.iter().map(|one| (one.key, *one)));
        if let Some(name) = plugin {
            self.plugins.insert(name.into(), added);
        }
    }

    pub fn remove(&mut self, plugin: &str) -> Result<Vec<Registration>> {
        let unknown = || Error::new(Code::PathNotFound, "no plugin of this name is installed");
        let removed = self.plugins.remove(plugin).ok_or_else(unknown)?;
        self.keys.retain(|key, _| removed.iter().all(|one| one.key != *key));
        Ok(removed)
    }
}
