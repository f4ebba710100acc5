//! Stores behind URLs: http and s3, by the crate `object_store`.

use crate::array::Array;
use crate::create::Create;
use crate::error::{Error, Result};
use crate::far::{Found, Remote};
use crate::store::Want;
use object_store::aws::AmazonS3Builder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreScheme, RetryConfig};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use url::Url;

/// A store behind a URL.
#[derive(Debug)]
struct Net {
    name: String,
    store: Arc<dyn ObjectStore>,
}

/// How often a request that failed for the time being is made again, and for how long at most.
fn retry() -> RetryConfig {
    RetryConfig { max_retries: 4, retry_timeout: Duration::from_secs(30), ..RetryConfig::default() }
}

/// The store of a URL, and the path in it.
fn store(url: &str, options: &[(String, String)]) -> Result<(Arc<dyn Remote>, String)> {
    let wrong = |error: &dyn std::fmt::Display| Error::unsupported(url, error);
    let parsed = Url::parse(url).map_err(|error| wrong(&error))?;
    let (scheme, path) = ObjectStoreScheme::parse(&parsed).map_err(|error| wrong(&error))?;
    let store: Arc<dyn ObjectStore> = match scheme {
        ObjectStoreScheme::Http => {
            let root = &parsed[..url::Position::BeforePath];
            let mut builder = HttpBuilder::new().with_url(root).with_retry(retry());
            // Whoever writes http:// has asked for it.
            let plain = (parsed.scheme() == "http").then(|| ("allow_http".to_string(), "true".to_string()));
            for (key, value) in plain.iter().chain(options) {
                builder = builder.with_config(key.parse().map_err(|error| wrong(&error))?, value);
            }
            Arc::new(builder.build().map_err(|error| wrong(&error))?)
        }
        ObjectStoreScheme::AmazonS3 => {
            let mut builder = AmazonS3Builder::from_env().with_url(url).with_retry(retry());
            for (key, value) in options {
                builder = builder.with_config(key.parse().map_err(|error| wrong(&error))?, value);
            }
            Arc::new(builder.build().map_err(|error| wrong(&error))?)
        }
        _ => return Err(wrong(&"only http, https and s3 are known here")),
    };
    let name = match path.as_ref() {
        "" => url.trim_end_matches('/').to_string(),
        path => url.trim_end_matches('/').trim_end_matches(path).trim_end_matches('/').to_string(),
    };
    Ok((Arc::new(Net { name, store }), path.to_string()))
}

fn joined(root: &str, path: &str) -> String {
    [root, path].map(|part| part.trim_matches('/')).join("/").trim_matches('/').to_string()
}

impl Array {
    /// Opens the array behind a URL: `http://`, `https://` or `s3://bucket/path`.
    ///
    /// Options are those of the crate `object_store` by name (`region`, `endpoint`, `allow_http`, `skip_signature`, `timeout`, ...);
    /// for s3 the variables `AWS_...` of the environment hold where there is none. Requests that fail for the time being are made
    /// again, for half a minute at most. Errors as [`Array::open`].
    ///
    /// ```no_run
    /// let x = takewise_zarr::Array::open_url("s3://bucket/data.zarr/temperature", &[("region".into(), "eu-west-1".into())])?;
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn open_url(url: &str, options: &[(String, String)]) -> Result<Array> {
        Array::under_url(url, options, "")
    }

    /// [`Array::open_url`] of a path under the URL.
    #[doc(hidden)] // for the Python package
    pub fn under_url(url: &str, options: &[(String, String)], path: &str) -> Result<Array> {
        let (store, root) = store(url, options)?;
        Array::open_in(store, &joined(&root, path))
    }
}

impl Create {
    /// [`Create::create`] behind a URL, with the options of [`Array::open_url`].
    pub fn create_url(&self, url: &str, options: &[(String, String)], path: &str) -> Result<Array> {
        let (store, root) = store(url, options)?;
        self.create_in(store, &joined(&root, path))
    }
}

/// Runs all of some tasks on threads that wait for the network, and gives back what each gave, in their order.
fn together<T, F>(tasks: Vec<F>) -> std::result::Result<Vec<T>, String>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    // A process that was forked off has none of the threads of the other.
    static RUNTIME: Mutex<Option<(u32, Runtime)>> = Mutex::new(None);
    let count = tasks.len();
    let (send, receive) = mpsc::channel();
    {
        let mut kept = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if kept.as_ref().is_none_or(|(owner, _)| *owner != process) {
            let made = Builder::new_multi_thread().worker_threads(2).thread_name("takewise-zarr").enable_all().build();
            let before = kept.replace((process, made.map_err(|error| error.to_string())?));
            // Its threads are not here to be waited for.
            std::mem::forget(before);
        }
        let Some((_, runtime)) = kept.as_ref() else { return Err("there is no runtime".to_string()) };
        for (k, task) in tasks.into_iter().enumerate() {
            let send = send.clone();
            runtime.spawn(async move { send.send((k, task.await)).unwrap_or_default() });
        }
    }
    drop(send);
    let mut answers: Vec<Option<T>> = (0..count).map(|_| None).collect();
    for (k, answer) in receive {
        answers[k] = Some(answer);
    }
    answers.into_iter().collect::<Option<Vec<T>>>().ok_or_else(|| "a request ended without an answer".to_string())
}

async fn get(store: Arc<dyn ObjectStore>, key: String, want: Want) -> std::result::Result<Option<Found>, String> {
    let range = match want {
        Want::Whole => None,
        Want::Range(start, len) => Some(GetRange::Bounded(start..start.saturating_add(len as u64))),
        Want::Last(len) => Some(GetRange::Suffix(len as u64)),
    };
    let path = Path::parse(&key).map_err(|error| error.to_string())?;
    let answer = store.get_opts(&path, GetOptions { range, ..GetOptions::default() }).await;
    let answer = match answer {
        Ok(answer) => answer,
        Err(object_store::Error::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let version = answer.meta.e_tag.clone();
    let bytes = answer.bytes().await.map_err(|error| error.to_string())?;
    Ok(Some(Found { bytes: bytes.into(), version }))
}

async fn replace(store: Arc<dyn ObjectStore>, key: String, value: Option<Vec<u8>>) -> std::result::Result<(), String> {
    let path = Path::parse(&key).map_err(|error| error.to_string())?;
    let done = match value {
        Some(value) => store.put(&path, value.into()).await.map(|_| ()),
        None => store.delete(&path).await,
    };
    match done {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

impl Remote for Net {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn fetch(&self, wants: &[(String, Want)]) -> Vec<std::result::Result<Option<Found>, String>> {
        let tasks = wants.iter().map(|(key, want)| get(self.store.clone(), key.clone(), *want));
        match together(tasks.collect()) {
            Ok(answers) => answers,
            Err(text) => wants.iter().map(|_| Err(text.clone())).collect(),
        }
    }

    fn replace(&self, changes: Vec<(String, Option<Vec<u8>>)>) -> std::result::Result<(), String> {
        let tasks = changes.into_iter().map(|(key, value)| replace(self.store.clone(), key, value));
        together(tasks.collect())?.into_iter().collect()
    }
}
