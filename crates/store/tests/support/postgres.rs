//! Where do tests find a PostgreSQL? In a server of their own, from what is installed.
//!
//! One server serves all tests of a user, whatever processes they run in: each holds a lock (the lease) for as long as
//! it lives, and the keeper, a small script that has started the server, ends it soon after the last lease. The kernel
//! gives up a lease even where a test is killed, and ends the server where the keeper is. Every test has a schema to
//! itself. Only a test that wants to see a server crash starts another.

#![allow(dead_code, reason = "each test program has its own use of it")]

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};

/// How long the shared server waits for another test before it ends.
const LINGER_SECONDS: &str = "5";

/// A schema that lasts as long as the test, on the shared server.
#[derive(Debug)]
pub struct Schema {
    server: &'static Server,
    name: String,
}

impl Schema {
    /// None where PostgreSQL is not installed, which is said, or where it must be, a failure.
    pub fn new() -> Option<Schema> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = Server::shared()?;
        let name = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let script = format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}");
        server.admin().batch_execute(&script).expect("a schema is made");
        Some(Schema { server, name })
    }

    /// The URL under which the schema is the only one.
    pub fn url(&self) -> String {
        self.url_with("")
    }

    /// The same with settings of the session, such as ` -c statement_timeout=1`.
    pub fn url_with(&self, settings: &str) -> String {
        let options = format!("-c search_path={}{settings}", self.name);
        format!("{}?options={}", self.server.url(), options.replace(' ', "%20").replace('=', "%3D"))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn server(&self) -> &'static Server {
        self.server
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if let Ok(mut admin) = Client::connect(&self.server.url(), NoTls) {
            let _ = admin.batch_execute(&format!("SET lock_timeout = 2000; DROP SCHEMA {} CASCADE", self.name));
        }
    }
}

/// A server, which ends when nobody has it any more.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    _lease: File,
    keeper: Option<Child>,
    is_private: bool,
}

impl Server {
    pub fn shared() -> Option<&'static Server> {
        static SHARED: OnceLock<Option<Server>> = OnceLock::new();
        SHARED.get_or_init(|| Server::leased(&programs()?)).as_ref()
    }

    fn leased(programs: &Path) -> Option<Server> {
        let folder = std::env::temp_dir().join(format!("deltaic-postgres-{}", user_id()));
        fs::create_dir_all(&folder).expect("a folder for the server");
        let start = lock_file(&folder.join("start"));
        start.lock().expect("one test at a time starts a server");
        let lease = lock_file(&folder.join("lease"));
        lease.lock_shared().expect("a lease, once a server that is ending has ended");
        let mut server = Server { folder, _lease: lease, keeper: None, is_private: false };
        // A keeper without a server is about to be gone, or has just come from a test that was killed.
        wait_until("the server answers", || {
            if server.answers().is_none() && !server.has_keeper() {
                let _ = fs::remove_dir_all(server.folder.join("server"));
                server.start_with(programs, "unlimited");
            }
            server.answers()
        });
        Some(server)
    }

    /// A server that nobody else uses, and whose writes reach the disk.
    pub fn private() -> Option<Server> {
        Server::private_within("unlimited")
    }

    /// The same with a disk that has room for 3 MiB a file, until it is started again.
    pub fn private_with_small_disk() -> Option<Server> {
        // In units of 512 bytes, and half a block more: what is written of the next block is then too little.
        Server::private_within("6152")
    }

    fn private_within(most: &str) -> Option<Server> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let programs = programs()?;
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("deltaic-postgres-{}-{process}-{count}", user_id()));
        fs::create_dir_all(&folder).expect("a folder for the server");
        let lease = lock_file(&folder.join("lease"));
        lease.lock_shared().expect("a lease");
        let mut server = Server { folder, _lease: lease, keeper: None, is_private: true };
        server.start_with(&programs, most);
        Some(server)
    }

    /// Starts it again, with what is on disk.
    pub fn start(&mut self) {
        self.start_with(&programs().expect("it has been started before"), "unlimited");
    }

    /// Ends it at once, as a loss of power would: nothing that is in memory is written.
    pub fn crash(&mut self) {
        assert!(self.is_private, "others use the server as well");
        assert!(Command::new("kill").args(["-QUIT", &self.process()]).status().expect("kill").success());
        wait_until("the server has ended", || (!self.process_file().exists()).then_some(()));
        let mut keeper = self.keeper.take().expect("a private server has its keeper");
        keeper.kill().and_then(|()| keeper.wait()).expect("the keeper ends");
    }

    /// Ends it with all its processes before any of them can do anything.
    pub fn kill(&mut self) {
        assert!(self.is_private, "others use the server as well");
        let first = self.process();
        let others = fs::read_to_string(format!("/proc/{first}/task/{first}/children")).unwrap_or_default();
        let all: Vec<&str> = [&*first].into_iter().chain(others.split_whitespace()).collect();
        // One that has ended by itself in the meantime is none to kill.
        let _ = Command::new("kill").arg("-KILL").args(&all).stderr(Stdio::null()).status().expect("kill");
        let mut keeper = self.keeper.take().expect("a private server has its keeper");
        keeper.kill().and_then(|()| keeper.wait()).expect("the keeper ends");
        let has_ended = |process: &str| {
            let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            state.is_empty() || state.contains(") Z ")
        };
        wait_until("the server has ended", || all.iter().all(|process| has_ended(process)).then_some(()));
        // Nobody may have asked yet how it ended, and then it would pass for one that runs.
        fs::remove_file(self.process_file()).expect("the file of a server that was killed");
    }

    fn process(&self) -> String {
        let written = fs::read_to_string(self.process_file()).expect("a server that runs");
        written.lines().next().expect("its process").to_owned()
    }

    fn process_file(&self) -> PathBuf {
        self.data().join("postmaster.pid")
    }

    /// The URL of its socket, which only the user of the tests can reach.
    pub fn url(&self) -> String {
        let folder = self.folder.join("server").display().to_string().replace('/', "%2F");
        format!("postgresql://deltaic@{folder}:{}/postgres", self.fact("port"))
    }

    /// The URL of its port, for which there is a password.
    pub fn url_of_port(&self) -> String {
        format!("postgresql://deltaic:{}@127.0.0.1:{}/postgres", self.password(), self.fact("port"))
    }

    pub fn password(&self) -> String {
        self.fact("password")
    }

    /// Has it encrypt connections, and let in nobody by its port who does not.
    pub fn encrypt(&self, certificate: &Path, key: &Path) {
        assert!(self.is_private, "others use the server as well");
        let owner = fs::metadata(self.data()).expect("a folder").uid();
        for (file, name) in [(certificate, "server.crt"), (key, "server.key")] {
            let copy = self.data().join(name);
            fs::copy(file, &copy).expect("a copy");
            fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).expect("a file of its own");
            std::os::unix::fs::chown(&copy, Some(owner), None).expect("a file of its own");
        }
        let rules = self.data().join("pg_hba.conf");
        let others = fs::read_to_string(&rules).expect("rules");
        fs::write(&rules, format!("hostnossl all all all reject\n{others}")).expect("a rule");
        // What it has read is inherited by those who are connected from then on.
        let read_at =
            || -> String { self.admin().query_one("SELECT pg_conf_load_time()::text", &[]).expect("a time").get(0) };
        let before = read_at();
        self.admin().batch_execute("ALTER SYSTEM SET ssl = on").expect("a setting");
        self.admin().batch_execute("SELECT pg_reload_conf()").expect("it is told to read its settings");
        wait_until("the server encrypts", || (read_at() != before).then_some(()));
    }

    /// Where its files are.
    pub fn data(&self) -> PathBuf {
        self.folder.join("server/data")
    }

    /// A connection of the superuser.
    pub fn admin(&self) -> Client {
        Client::connect(&self.url(), NoTls).expect("the server answers")
    }

    fn fact(&self, name: &str) -> String {
        let file = self.folder.join("server").join(name);
        fs::read_to_string(file).map_or_else(|_| "0".into(), |fact| fact.trim().to_owned())
    }

    fn has_keeper(&self) -> bool {
        lock_file(&self.folder.join("keeper")).try_lock().is_err()
    }

    fn answers(&self) -> Option<()> {
        Client::connect(&self.url(), NoTls).ok().map(drop)
    }

    fn start_with(&mut self, programs: &Path, most: &str) {
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "keeper"]).arg(&self.folder).arg(programs).arg(free_port().to_string());
        // The locks of the shared server stay where they are, since somebody may be waiting for one.
        keeper.args(if self.is_private { ["on", "0", ""] } else { ["off", LINGER_SECONDS, "server"] }).arg(most);
        // Where a test is interrupted with its whole group, the keeper still has to tidy up.
        keeper.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut keeper = keeper.spawn().expect("a shell");
        let log = self.folder.join("log");
        wait_until("the server answers", || {
            let ended = keeper.try_wait().expect("the keeper is ours");
            assert!(ended.is_none(), "the server did not start:\n{}", fs::read_to_string(&log).unwrap_or_default());
            self.answers()
        });
        self.keeper = Some(keeper);
    }
}

/// Makes a database where there is none, serves it until nobody has a lease, and removes it.
const KEEPER: &str = r#"
set -eu
cd "$1"
programs=$2 port=$3 fsync=$4 linger=$5 remove=$6 most=$7
exec 8<>keeper 9<>lease >log 2>&1
flock -w 5 -x 8
umask 077
ulimit -f "$most"
mkdir -p server
printf '%s\n' "$port" >server/port

# PostgreSQL refuses to be root.
run="setpriv --pdeathsig INT"
if [ "$(id -u)" = 0 ]; then
    user=$(id -u postgres 2>/dev/null || id -u nobody)
    chmod 755 .
    run="$run --reuid $user --regid $(id -g "$user") --clear-groups"
fi
if [ ! -d server/data ]; then
    od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >server/password
    [ "$(id -u)" != 0 ] || chown -R "$user" server
    # Where there are languages, text has an order that is not that of its bytes: so do most databases out there.
    # The files of its log fit on a small disk too.
    log=16
    [ "$most" = unlimited ] || log=1
    make="$run $programs/initdb --no-sync --wal-segsize=$log -D server/data -U deltaic --pwfile=server/password
        -E UTF8 --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256"
    $make --locale-provider=icu --icu-locale=en-US || { rm -rf server/data; $make; }
fi
$run "$programs/postgres" -D server/data -k "$PWD/server" -p "$port" -c listen_addresses=127.0.0.1 -c fsync="$fsync" \
    -c shared_buffers=16MB -c max_connections=100 -c deadlock_timeout=50ms 8>&- 9>&- &
server=$!

# What waits here may outlive the keeper for a while, and must not pass for it.
while flock -x 9 8>&- && flock -u 9 && sleep "$linger" 8>&- 9>&-; do
    if flock -n -x 9; then break; fi
done
kill -INT $server
wait $server || true
cd /
rm -rf "$1/$remove"
"#;

/// The folder of a server's programs, where everything that it takes is there.
pub fn programs() -> Option<PathBuf> {
    let found = has("setpriv").then(find_programs).flatten().filter(|_| has("flock"));
    let is_required = std::env::var_os("DELTAIC_REQUIRE_ORACLES").is_some();
    assert!(found.is_some() || !is_required, "PostgreSQL is required here and not installed");
    if found.is_none() {
        eprintln!("skipped: PostgreSQL is not installed (or setpriv and flock of util-linux are not)");
    }
    found
}

fn find_programs() -> Option<PathBuf> {
    let told = Command::new("pg_config").arg("--bindir").output().ok();
    let told = told.map(|told| PathBuf::from(String::from_utf8_lossy(&told.stdout).trim()));
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    versions.sort();
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let places = told.into_iter().chain(versions.into_iter().rev()).chain(on_path.unwrap_or_default());
    places.into_iter().find(|place| ["initdb", "postgres"].iter().all(|program| place.join(program).is_file()))
}

fn has(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

fn user_id() -> u32 {
    fs::metadata("/proc/self").expect("a process").uid()
}

fn lock_file(path: &Path) -> File {
    File::options().create(true).truncate(false).write(true).open(path).expect("a file to lock")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.expect("a free port").port()
}

fn wait_until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
