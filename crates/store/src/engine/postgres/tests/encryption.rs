//! Who is spoken to, and can anybody listen?

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use postgres::config::SslMode;
use rustls::CertificateError;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use super::super::encryption::{Encryption, Trust, Verifier};
use super::super::*;
use super::support::Server;

#[test]
fn the_url_says_how_as_libpq_reads_it() {
    let check = |options: &str, mode: SslMode, trust: Trust| {
        let url = format!("postgresql://u:p?w@host/name?a=b{options}&c=d");
        let (found, rest) = Encryption::taken_from(&url).expect(options);
        assert_eq!(found, Some(Encryption { mode, trust }), "{options}");
        assert_eq!(rest, "postgresql://u:p?w@host/name?a=b&c=d");
    };
    let file = |is_named| Trust::File { path: "/a b+c".into(), is_named };
    check("&sslmode=disable", SslMode::Disable, Trust::Anybody);
    check("&sslmode=allow", SslMode::Prefer, Trust::Anybody);
    check("&sslmode=prefer", SslMode::Prefer, Trust::Anybody);
    check("&sslmode=require", SslMode::Require, Trust::Anybody);
    check("&sslmode=require&sslrootcert=/a%20b+c", SslMode::Require, file(false));
    check("&sslmode=verify-ca&sslrootcert=/a%20b+c", SslMode::Require, file(false));
    check("&sslrootcert=%2Fa%20b%2Bc&ssl%6Dode=verify-full", SslMode::Require, file(true));
    check("&sslmode=verify-full", SslMode::Require, Trust::System);
    check("&sslmode=verify-full&sslrootcert=system", SslMode::Require, Trust::System);
    // Anybody who has a domain has a certificate of those.
    check("&sslmode=verify-ca", SslMode::Require, Trust::System);
    check("&sslmode=require&sslrootcert=system", SslMode::Require, Trust::System);

    for url in ["postgresql://u:sslmode=require?sslmode=require@host/name", "host=h sslmode=require", "postgres://h"] {
        assert_eq!(Encryption::taken_from(url).expect(url), (None, url.to_owned()));
    }
    for name in ["sslcert", "sslkey", "sslcrl"] {
        let refused = Encryption::taken_from(&format!("postgres://host?sslmode=require&{name}=/x")).expect_err(name);
        assert_eq!(refused.to_string(), format!("`{name}` in the URL of the database is not supported"));
    }
    for wrong in ["sslmode=full", "sslmode=", "sslrootcert=/a", "sslmode=prefer&sslrootcert=/a"] {
        let refused = Encryption::taken_from(&format!("postgres://host?{wrong}"));
        assert!(matches!(refused, Err(Error::Invalid(_))), "{wrong}: {refused:?}");
    }
}

/// A server that lets nobody in who does not encrypt, and the certificates that it may have.
struct Encrypting {
    server: Server,
    folder: tempfile::TempDir,
}

impl Encrypting {
    fn new() -> Option<Encrypting> {
        let server = Server::private()?;
        let this = Encrypting { server, folder: tempfile::tempdir().expect("a folder") };
        this.make("authority", &["-subj", "/CN=authority"]);
        this.make("stranger", &["-subj", "/CN=authority"]);
        // As it is told in the manual of PostgreSQL, and with the name where names are looked for today.
        this.make("own", &["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
        let (certificate, key) = (this.file("authority"), this.folder.path().join("authority.key"));
        let (certificate, key) = (certificate.to_str().expect("text"), key.to_str().expect("text"));
        let names = ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"];
        this.make("server", &[&["-subj", "/CN=server", "-CA", certificate, "-CAkey", key][..], &names].concat());
        Some(this)
    }

    fn make(&self, name: &str, arguments: &[&str]) {
        let mut openssl = Command::new("openssl");
        openssl.args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(' '));
        openssl.args(arguments).current_dir(self.folder.path());
        openssl.args(["-keyout", &format!("{name}.key"), "-out", &format!("{name}.crt")]);
        let made = openssl.output().expect("openssl");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.crt"))
    }

    fn serve_as(&self, name: &str) {
        self.server.encrypt(&self.file(name), &self.folder.path().join(format!("{name}.key")));
    }

    /// A URL of a host that is found without asking for its address.
    fn url(&self, host: &str, options: &str) -> String {
        let url = self.server.url_of_port().replace("@127.0.0.1", &format!("@{host}"));
        let authority = |name: &str| self.file(name).display().to_string();
        let options = options.replace("AUTHORITY", &authority("authority")).replace("STRANGER", &authority("stranger"));
        format!("{url}?hostaddr=127.0.0.1{}", options.replace("OWN", &authority("own")))
    }

    /// Whether a connection is encrypted, or why there is none.
    fn outcome(&self, host: &str, options: &str) -> Result<bool, String> {
        let engine = Postgres::open(&self.url(host, options)).map_err(|error| error.to_string())?;
        let mut session = engine.connect().map_err(|error| error.to_string())?;
        let is_encrypted = "SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl";
        Ok(numbers(&mut *session, is_encrypted, &[]).expect("a number") == [1])
    }
}

#[test]
fn only_who_was_meant_is_spoken_to() {
    let Some(this) = Encrypting::new() else { return };
    let encrypted = |options: &str| assert_eq!(this.outcome("localhost", options), Ok(true), "{options}");
    let refused = |host: &str, options: &str, why: &str| {
        let said = this.outcome(host, options).expect_err(options);
        assert!(said.contains(why) && !said.contains(&this.server.password()), "{host} {options}: {said}");
    };
    refused("localhost", "&sslmode=require", "server does not support TLS");
    refused("localhost", "&sslmode=verify-full&sslrootcert=AUTHORITY", "server does not support TLS");

    this.serve_as("server");
    encrypted("");
    encrypted("&sslmode=prefer");
    encrypted("&sslmode=require");
    encrypted("&sslmode=require&channel_binding=require");
    encrypted("&sslmode=require&sslrootcert=AUTHORITY");
    encrypted("&sslmode=verify-ca&sslrootcert=AUTHORITY");
    encrypted("&sslmode=verify-full&sslrootcert=AUTHORITY");
    assert_eq!(this.outcome("other.example", "&sslmode=verify-ca&sslrootcert=AUTHORITY"), Ok(true));
    refused("localhost", "&sslmode=disable", "no encryption");
    refused("other.example", "&sslmode=verify-full&sslrootcert=AUTHORITY", "not valid for name");
    for mode in ["require", "verify-ca", "verify-full"] {
        // The same name as the authority's, and another key.
        refused("localhost", &format!("&sslmode={mode}&sslrootcert=STRANGER"), "its certificate is refused");
        refused("localhost", &format!("&sslmode={mode}&sslrootcert=OWN"), "of no authority that is known here");
        refused("localhost", &format!("&sslmode={mode}&sslrootcert=/nowhere.crt"), "`/nowhere.crt`");
    }
    refused("localhost", "&sslmode=verify-full", "known here");

    this.serve_as("own");
    encrypted("&sslmode=verify-ca&sslrootcert=OWN");
    encrypted("&sslmode=verify-full&sslrootcert=OWN");
    refused("other.example", "&sslmode=verify-full&sslrootcert=OWN", "not valid for name");
    refused("localhost", "&sslmode=verify-ca&sslrootcert=AUTHORITY", "its certificate is refused: CaUsedAsEndEntity");
    // Nobody listens to a socket of this machine.
    let socket = format!("{}?sslmode=verify-full", this.server.url());
    Postgres::open(&socket).and_then(|engine| engine.connect()).expect("a connection");
    a_certificate_ends(&this.file("own"));
}

fn a_certificate_ends(file: &Path) {
    let certificate = CertificateDer::from_pem_file(file).expect("a certificate");
    let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
    let trust = Trust::File { path: file.display().to_string(), is_named: true };
    let verifier = Verifier::new(&trust, algorithms).expect("an authority");
    let name = ServerName::try_from("localhost").expect("a name");
    let verified_at = |time: UnixTime| verifier.verify_server_cert(&certificate, &[], &name, &[], time);
    verified_at(UnixTime::now()).expect("it is in the file");
    let later = Duration::from_secs(UnixTime::now().as_secs() + 3 * 24 * 60 * 60);
    let refused = verified_at(UnixTime::since_unix_epoch(later)).expect_err("it has expired");
    let has_expired = |doubt: &CertificateError| format!("{doubt:?}").starts_with("Expired");
    assert!(matches!(&refused, rustls::Error::InvalidCertificate(doubt) if has_expired(doubt)), "{refused:?}");
}

#[test]
fn nothing_is_told_to_a_server_that_does_not_encrypt() {
    for mode in ["require", "verify-ca", "verify-full"] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let heard = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut asked = [0; 8];
            stream.read_exact(&mut asked).and_then(|()| stream.write_all(b"N")).expect("a question and an answer");
            let mut heard = Vec::new();
            let _ = stream.read_to_end(&mut heard);
            heard
        });
        let url = format!("postgresql://deltaic:secret@127.0.0.1:{port}/postgres?sslmode={mode}");
        Postgres::open(&url).and_then(|engine| engine.connect()).map(drop).expect_err("it does not encrypt");
        assert_eq!(heard.join().expect("a server"), b"", "{mode}");
    }
}
