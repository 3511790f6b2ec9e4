//! State that threads and agents share: typed values in a store of the caller's.

use std::collections::BTreeMap;
use std::future::{Future, ready};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::batch::place;
use crate::document::Document;
use crate::document::decode;
use crate::error::Error;

/// What is shared, as a type without values: its namespace and its type.
pub trait ProfileKey: 'static + Send + Sync {
    /// The namespace of its values.
    const KEY: &'static str;

    /// What is kept under each key: a JSON value.
    type Value: Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static;
}

/// Where values are shared, as the key under which they are kept. Any other string is a key too.
///
/// ```
/// use patchwire::typed::StateScope;
///
/// assert_eq!(StateScope::global().as_str(), "global");
/// assert_eq!(StateScope::parent_thread("p1").as_str(), "parent_thread::p1");
/// assert_eq!(StateScope::agent_type("planner").as_str(), "agent_type::planner");
/// assert_eq!(StateScope::thread("t1").as_str(), "thread::t1");
/// assert_eq!(StateScope::new("team 7").as_str(), "team 7");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StateScope(String);

impl StateScope {
    /// A key of one's own.
    pub fn new(key: impl Into<String>) -> StateScope {
        StateScope(key.into())
    }

    /// Among all.
    pub fn global() -> StateScope {
        StateScope::new("global")
    }

    /// Among the threads that one thread started.
    pub fn parent_thread(id: &str) -> StateScope {
        StateScope(format!("parent_thread::{id}"))
    }

    /// Among the agents of a kind.
    pub fn agent_type(name: &str) -> StateScope {
        StateScope(format!("agent_type::{name}"))
    }

    /// Among the runs of a thread.
    pub fn thread(id: &str) -> StateScope {
        StateScope(format!("thread::{id}"))
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for StateScope {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// A store of JSON values by namespace and key, on whatever keeps them: [`MemoryProfiles`], a database, a Durable Object.
pub trait ProfileStore: Send + Sync {
    /// What may go wrong in it, and in the values.
    type Error: From<Error>;

    /// The value, if there is one.
    fn get(&self, namespace: &str, key: &str) -> impl Future<Output = Result<Option<Document>, Self::Error>> + Send;

    /// Puts a value in the place of the one that there is, if any.
    fn set(&self, namespace: &str, key: &str, value: Document) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Removes a value, if there is one.
    fn delete(&self, namespace: &str, key: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The namespaces that have a value under a key, in order, with the values.
    fn list(&self, key: &str) -> impl Future<Output = Result<Vec<(String, Document)>, Self::Error>> + Send;

    /// Removes the values of all namespaces under a key.
    fn clear(&self, key: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// Typed access to a [`ProfileStore`].
///
/// ```
/// use patchwire::typed::{MemoryProfiles, ProfileAccess, ProfileKey, StateScope};
///
/// struct Language;
///
/// impl ProfileKey for Language {
///     const KEY: &'static str = "language";
///     type Value = String;
/// }
///
/// async fn work() -> patchwire::Result<()> {
///     let shared = ProfileAccess::new(MemoryProfiles::default());
///     let everyone = StateScope::global();
///     assert_eq!(shared.read::<Language>(&everyone).await?, "");
///     shared.write::<Language>(&everyone, &"en".into()).await?;
///     shared.write::<Language>("agent 7", &"fr".into()).await?;
///     assert_eq!(shared.read::<Language>(&everyone).await?, "en");
///     assert_eq!(shared.list("agent 7").await?[0].0, "language");
///     shared.delete::<Language>(&everyone).await?;
///     shared.clear("agent 7").await?;
///     assert_eq!(shared.read::<Language>("agent 7").await?, "");
///     Ok(())
/// }
/// # use std::{pin::pin, task::{Context, Poll, Waker}, future::Future};
/// # assert_eq!(pin!(work()).poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(())));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProfileAccess<S> {
    store: S,
}

impl<S> ProfileAccess<S>
where
    S: ProfileStore,
{
    /// Of this store.
    pub fn new(store: S) -> ProfileAccess<S> {
        ProfileAccess { store }
    }

    /// The value under a key; the default one where there is none.
    ///
    /// # Errors
    /// The store's; `VALIDATION_FAILED` where the value isn't of the type.
    pub async fn read<K: ProfileKey>(&self, key: impl AsRef<str>) -> Result<K::Value, S::Error> {
        let Some(stored) = self.store.get(K::KEY, key.as_ref()).await? else { return Ok(K::Value::default()) };
        Ok(decode(&stored.root).map_err(|error| error.below(place(K::KEY)))?)
    }

    /// Puts a value under a key.
    ///
    /// # Errors
    /// The store's; `NOT_JSON` or `LIMIT_EXCEEDED` where JSON can't hold the value, with the place in it.
    pub async fn write<K: ProfileKey>(&self, key: impl AsRef<str>, value: &K::Value) -> Result<(), S::Error> {
        self.store.set(K::KEY, key.as_ref(), Document::encode(value)?).await
    }

    /// Removes the value under a key.
    ///
    /// # Errors
    /// The store's.
    pub async fn delete<K: ProfileKey>(&self, key: impl AsRef<str>) -> Result<(), S::Error> {
        self.store.delete(K::KEY, key.as_ref()).await
    }

    /// All that is kept under a key, by namespace.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(&self, key: impl AsRef<str>) -> Result<Vec<(String, Document)>, S::Error> {
        self.store.list(key.as_ref()).await
    }

    /// Removes all that is kept under a key.
    ///
    /// # Errors
    /// The store's.
    pub async fn clear(&self, key: impl AsRef<str>) -> Result<(), S::Error> {
        self.store.clear(key.as_ref()).await
    }
}

/// A store that lives as long as the process.
#[derive(Debug, Default)]
pub struct MemoryProfiles {
    /// By key, then by namespace.
    values: Mutex<BTreeMap<String, BTreeMap<String, Document>>>,
}

impl MemoryProfiles {
    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<String, BTreeMap<String, Document>>) -> T) -> std::future::Ready<Result<T, Error>> {
        ready(Ok(work(&mut self.values.lock().unwrap_or_else(PoisonError::into_inner))))
    }
}

impl ProfileStore for MemoryProfiles {
    type Error = Error;

    fn get(&self, namespace: &str, key: &str) -> impl Future<Output = Result<Option<Document>, Error>> + Send {
        self.with(|values| values.get(key)?.get(namespace).cloned())
    }

    fn set(&self, namespace: &str, key: &str, value: Document) -> impl Future<Output = Result<(), Error>> + Send {
        self.with(|values| drop(values.entry(key.into()).or_default().insert(namespace.into(), value)))
    }

    fn delete(&self, namespace: &str, key: &str) -> impl Future<Output = Result<(), Error>> + Send {
        self.with(|values| drop(values.get_mut(key).and_then(|values| values.remove(namespace))))
    }

    fn list(&self, key: &str) -> impl Future<Output = Result<Vec<(String, Document)>, Error>> + Send {
        let copy =
            |values: &BTreeMap<String, Document>| values.iter().map(|(namespace, value)| (namespace.clone(), value.clone())).collect();
        self.with(|values| values.get(key).map(copy).unwrap_or_default())
    }

    fn clear(&self, key: &str) -> impl Future<Output = Result<(), Error>> + Send {
        self.with(|values| drop(values.remove(key)))
    }
}
