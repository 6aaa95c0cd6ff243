//! Where does a law find an empty store, whichever engine it has?

#![allow(dead_code, unused_imports, unused_macros, reason = "each test program has its own use of it")]

#[cfg(feature = "postgres")]
#[path = "postgres.rs"]
pub mod postgres;

use std::path::Path;

use store::{Location, Store};
use tempfile::TempDir;

/// What keeps the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    #[cfg(feature = "postgres")]
    Postgres,
}

impl Engine {
    /// Those that can be tried here; that PostgreSQL is not installed is said.
    pub fn all() -> Vec<Engine> {
        let all = [Engine::Sqlite].into_iter();
        #[cfg(feature = "postgres")]
        let all = all.chain(Engine::postgres());
        all.collect()
    }

    #[cfg(feature = "postgres")]
    pub fn postgres() -> Option<Engine> {
        postgres::Server::shared().map(|_| Engine::Postgres)
    }

    /// A place where no store is yet.
    pub fn place(self) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        match self {
            Engine::Sqlite => Place {
                location: Location::Folder(folder.path().join("data")),
                folder,
                #[cfg(feature = "postgres")]
                _schema: None,
            },
            #[cfg(feature = "postgres")]
            Engine::Postgres => {
                let schema = postgres::Schema::new().expect("PostgreSQL is there");
                Place { location: Location::Database(schema.url()), folder, _schema: Some(schema) }
            }
        }
    }
}

/// A place for a store and a folder for what comes of it, both of which go with it.
#[derive(Debug)]
pub struct Place {
    pub location: Location,
    folder: TempDir,
    #[cfg(feature = "postgres")]
    _schema: Option<postgres::Schema>,
}

impl Place {
    pub fn open(&self) -> Store {
        Store::open(&self.location).expect("a store")
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Makes each law that is named, a function of an engine, a test on every engine.
macro_rules! on_every_engine {
    ($($law:ident),+ $(,)?) => {
        mod in_a_folder {
            $(#[test]
            fn $law() {
                super::$law(crate::engines::Engine::Sqlite);
            })+
        }

        #[cfg(feature = "postgres")]
        mod in_postgres {
            $(#[test]
            fn $law() {
                if let Some(engine) = crate::engines::Engine::postgres() {
                    super::$law(engine);
                }
            })+
        }
    };
}
pub(crate) use on_every_engine;
