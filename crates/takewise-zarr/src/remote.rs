//! Stores behind URLs, by the crate `object_store`: http, https and s3.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::far::{Found, Remote};
use crate::store::Want;
use object_store::path::Path;
use object_store::{Error as StoreError, GetOptions, GetRange, ObjectStore, parse_url_opts};
use std::sync::{Arc, mpsc};
use takewise::internal::Lock;
use tokio::runtime::{Builder, Runtime};
use url::Url;

/// A store behind a URL. Its requests are under way together, on threads of their own.
///
/// A process that was forked makes a connection of its own.
///
/// ```no_run
/// use takewise::DType;
/// use takewise_zarr::{Create, Objects};
/// let (store, path) = Objects::behind("s3://bucket/measurements.zarr/temperature", &[("aws_region", "eu-west-1")])?;
/// let x = Create::new(&[8192, 8192], DType::F32, &[64, 64]).shards(&[1024, 1024]).create_in(store, &path)?;
/// # Ok::<(), takewise_zarr::Error>(())
/// ```
#[derive(Debug)]
pub struct Objects {
    url: Url,
    options: Vec<(String, String)>,
    here: Lock<Option<Arc<Here>>>,
}

/// The store as one process reaches it.
#[derive(Debug)]
struct Here {
    process: u32,
    store: Arc<dyn ObjectStore>,
}

/// The threads of a process that wait for answers.
struct Threads {
    process: u32,
    runtime: Runtime,
}

static THREADS: Lock<Option<Arc<Threads>>> = Lock::new(None);

/// Those of this process. What a parent had is left alone: its threads are not here.
fn threads() -> std::result::Result<Arc<Threads>, String> {
    let process = std::process::id();
    let mut kept = THREADS.lock();
    if let Some(threads) = kept.as_ref().filter(|threads| threads.process == process) {
        return Ok(threads.clone());
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("takewise-zarr-io").enable_all().build();
    let runtime = runtime.map_err(|error| format!("no threads can be had: {error}"))?;
    let threads = Arc::new(Threads { process, runtime });
    std::mem::forget(kept.replace(threads.clone()));
    Ok(threads)
}

impl Objects {
    /// The store that a URL names, and the path in it.
    ///
    /// `options` are those of the crate `object_store`: of s3 also what the environment says (`AWS_REGION`, `AWS_ENDPOINT`,
    /// `AWS_ACCESS_KEY_ID`, ...), which they go before.
    ///
    /// Errors: what is no URL, schemes that are not known, options that cannot be.
    pub fn behind(url: &str, options: &[(&str, &str)]) -> Result<(Arc<dyn Remote>, String)> {
        let wrong = |error: String| Error::unsupported(url, error);
        let parsed = Url::parse(url).map_err(|error| wrong(format!("is no URL: {error}")))?;
        let mut all: Vec<(String, String)> = Vec::new();
        match parsed.scheme() {
            // Whoever writes http:// has asked for it.
            "http" => all.push(("allow_http".to_string(), "true".to_string())),
            "https" => {}
            "s3" => {
                let named = std::env::vars().filter(|(name, _)| name.starts_with("AWS_"));
                all.extend(named.map(|(name, value)| (name.to_ascii_lowercase(), value)));
            }
            scheme => {
                return Err(wrong(format!("stores behind {scheme}:// are not read here, only http, https and s3")));
            }
        }
        all.extend(options.iter().map(|(name, value)| (name.to_string(), value.to_string())));
        let objects = Objects { url: parsed, options: all, here: Lock::default() };
        let (_, path) = objects.made().map_err(wrong)?;
        Ok((Arc::new(objects), path.to_string()))
    }

    fn made(&self) -> std::result::Result<(Arc<dyn ObjectStore>, Path), String> {
        let options = self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let (store, path) = parse_url_opts(&self.url, options).map_err(|error| error.to_string())?;
        Ok((Arc::from(store), path))
    }

    /// The store, with connections of this process.
    fn here(&self) -> std::result::Result<Arc<Here>, String> {
        let process = std::process::id();
        let mut kept = self.here.lock();
        if let Some(here) = kept.as_ref().filter(|here| here.process == process) {
            return Ok(here.clone());
        }
        let here = Arc::new(Here { process, store: self.made()?.0 });
        std::mem::forget(kept.replace(here.clone()));
        Ok(here)
    }

    /// Runs a task for each item, all at once, and waits; what came of each, in their order.
    fn all<T: Send + 'static, R: Send + 'static, F>(
        &self,
        items: Vec<T>,
        task: impl Fn(Arc<dyn ObjectStore>, T) -> F,
    ) -> Vec<std::result::Result<R, String>>
    where
        F: Future<Output = std::result::Result<R, String>> + Send + 'static,
    {
        let count = items.len();
        let (here, threads) = match self.here().and_then(|here| Ok((here, threads()?))) {
            Ok(both) => both,
            Err(error) => return items.iter().map(|_| Err(error.clone())).collect(),
        };
        // Waiting for a channel is allowed to threads of other runtimes as well.
        let (done, answers) = mpsc::channel();
        for (k, item) in items.into_iter().enumerate() {
            let (done, work) = (done.clone(), task(here.store.clone(), item));
            threads.runtime.spawn(async move {
                let _ = done.send((k, work.await));
            });
        }
        drop(done);
        let mut all: Vec<std::result::Result<R, String>> =
            (0..count).map(|_| Err("the request was given up".to_string())).collect();
        answers.into_iter().for_each(|(k, answer)| all[k] = answer);
        all
    }
}

/// What is wanted of one key.
async fn one(store: Arc<dyn ObjectStore>, key: String, want: Want) -> std::result::Result<Option<Found>, String> {
    let path = Path::parse(&key).map_err(|error| error.to_string())?;
    let range = match want {
        Want::Whole => None,
        Want::Range(start, len) => Some(GetRange::Bounded(start..start.saturating_add(len as u64))),
        Want::Last(len) => Some(GetRange::Suffix(len as u64)),
    };
    match store.get_opts(&path, GetOptions { range, ..GetOptions::default() }).await {
        Ok(found) => {
            let version = found.meta.e_tag.clone();
            let bytes = found.bytes().await.map_err(|error| error.to_string())?.to_vec();
            Ok(Some(Found { bytes, version }))
        }
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => match want {
            // A range past the end of what has become shorter: it is of another state than was thought.
            Want::Range(start, len) => match store.head(&path).await {
                Ok(about) if start.saturating_add(len as u64) > about.size => {
                    Ok(Some(Found { bytes: Vec::new(), version: about.e_tag }))
                }
                _ => Err(error.to_string()),
            },
            _ => Err(error.to_string()),
        },
    }
}

async fn put(store: Arc<dyn ObjectStore>, (key, value): (String, Option<Vec<u8>>)) -> std::result::Result<(), String> {
    let path = Path::parse(&key).map_err(|error| error.to_string())?;
    let done = match value {
        Some(value) => store.put(&path, value.into()).await.map(|_| ()),
        None => match store.delete(&path).await {
            Err(StoreError::NotFound { .. }) => Ok(()),
            done => done,
        },
    };
    done.map_err(|error| format!("{key}: {error}"))
}

impl Remote for Objects {
    fn name(&self) -> String {
        match self.url.scheme() {
            "s3" => format!("s3://{}", self.url.host_str().unwrap_or_default()),
            _ => self.url.origin().ascii_serialization(),
        }
    }

    fn fetch(&self, wants: &[(String, Want)]) -> Vec<std::result::Result<Option<Found>, String>> {
        self.all(wants.to_vec(), |store, (key, want)| one(store, key, want))
    }

    fn replace(&self, changes: Vec<(String, Option<Vec<u8>>)>) -> std::result::Result<(), String> {
        self.all(changes, put).into_iter().collect()
    }
}

impl Array {
    /// Opens the array behind a URL: http, https or s3. `options` are those of [`Objects::behind`].
    ///
    /// A server has to answer ranges of bytes for arrays in shards; with ETags the index of a shard is kept from call to call.
    ///
    /// Errors as [`Array::open`], and of [`Objects::behind`].
    ///
    /// ```no_run
    /// use takewise::ix;
    /// let x = takewise_zarr::Array::open_url("https://example.org/measurements.zarr/temperature", &[])?;
    /// let points = x.index(&ix![&[5i64, 0], &[7i64, 7]])?;
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn open_url(url: &str, options: &[(&str, &str)]) -> Result<Array> {
        let (store, path) = Objects::behind(url, options)?;
        Array::open_in(store, &path)
    }
}
