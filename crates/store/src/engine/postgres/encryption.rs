//! Is the connection encrypted, and who may be at its other end? What `sslmode` and `sslrootcert` in a URL mean to
//! libpq, but where that checks less than it seems to.
//!
//! | `sslmode` | encrypted | who may answer |
//! |---|---|---|
//! | `disable` | no | anybody |
//! | `prefer`, `allow`, none | where the server offers it | anybody |
//! | `require` | yes | anybody; with `sslrootcert=FILE` as `verify-ca` |
//! | `verify-ca` | yes | who has a certificate of the authorities in the file |
//! | `verify-full` | yes | who has one for the name of the host |
//!
//! Without a file the authorities are those of the system. They give a certificate to everybody who has a domain, so
//! the name is always looked at there, where libpq's `verify-ca` would not.

use std::io;
use std::sync::Arc;

use postgres::config::SslMode;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{self, WebPkiSupportedAlgorithms};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Error, Result};

/// What a URL says of encryption.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Encryption {
    pub(super) mode: SslMode,
    pub(super) trust: Trust,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Anybody,
    /// The authorities that the system knows.
    System,
    /// Those of a file.
    File {
        path: String,
        /// Whether the certificate has to be for the name of the host.
        is_named: bool,
    },
}

/// What libpq knows of encryption and is not done here: who asks for it should not believe that it is.
const UNUSED: [&str; 5] = ["sslcert", "sslkey", "sslpassword", "sslcrl", "sslcrldir"];

impl Encryption {
    /// Takes what is about encryption out of a URL, most of which the parser of all else does not know.
    pub(super) fn taken_from(url: &str) -> Result<(Option<Encryption>, String)> {
        let Some((before, options)) = split_options(url) else { return Ok((None, url.to_owned())) };
        let (mut mode, mut authorities) = (None, None);
        let mut others = Vec::new();
        for option in options.split('&') {
            // Only in forms a `+` is a space.
            let option_as_form = option.replace('+', "%2B");
            match url::form_urlencoded::parse(option_as_form.as_bytes()).next() {
                Some((name, value)) if name == "sslmode" => mode = Some(value.into_owned()),
                Some((name, value)) if name == "sslrootcert" => authorities = Some(value.into_owned()),
                Some((name, _)) if let Some(known) = UNUSED.iter().find(|known| **known == name) => {
                    let why = format!("`{known}` in the URL of the database is not supported");
                    return Err(Error::Invalid(why));
                }
                _ => others.push(option),
            }
        }
        let encryption = (mode.is_some() || authorities.is_some())
            .then(|| Encryption::meant(mode.as_deref(), authorities))
            .transpose()?;
        Ok((encryption, format!("{before}?{}", others.join("&"))))
    }

    fn meant(mode: Option<&str>, authorities: Option<String>) -> Result<Encryption> {
        let file = authorities.as_ref().filter(|&file| file != "system").cloned();
        let required = |is_named| {
            let trust = file.map_or(Trust::System, |path| Trust::File { path, is_named });
            Encryption { mode: SslMode::Require, trust }
        };
        match mode {
            Some("require") if authorities.is_none() => {
                Ok(Encryption { mode: SslMode::Require, trust: Trust::Anybody })
            }
            Some("require" | "verify-ca") => Ok(required(false)),
            Some("verify-full") => Ok(required(true)),
            None | Some("disable" | "allow" | "prefer") if authorities.is_some() => Err(Error::Invalid(
                "`sslrootcert` in the URL of the database looks at certificates with `sslmode=verify-full`, \
                 `verify-ca` or `require`, and otherwise at nothing"
                    .into(),
            )),
            Some("disable") => Ok(Encryption { mode: SslMode::Disable, trust: Trust::Anybody }),
            None | Some("allow" | "prefer") => Ok(Encryption { mode: SslMode::Prefer, trust: Trust::Anybody }),
            Some(_) => Err(Error::Invalid(
                "`sslmode` in the URL of the database is none of `disable`, `allow`, `prefer`, `require`, \
                 `verify-ca` and `verify-full`"
                    .into(),
            )),
        }
    }

    /// What encrypts connections so.
    pub(super) fn connector(&self) -> Result<MakeRustlsConnect> {
        let provider = Arc::new(crypto::ring::default_provider());
        let verifier = Verifier::new(&self.trust, provider.signature_verification_algorithms)?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Connection { why: error.to_string() })?;
        let mut config = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(MakeRustlsConnect::new(config))
    }
}

impl Default for Encryption {
    fn default() -> Self {
        Encryption { mode: SslMode::Prefer, trust: Trust::Anybody }
    }
}

/// The options of a URL, cut off where the parser of all else does so: a `?` before the `@` is one of the password.
fn split_options(url: &str) -> Option<(&str, &str)> {
    let rest = ["postgresql://", "postgres://"].iter().find_map(|scheme| url.strip_prefix(scheme))?;
    let host = rest.find('@').unwrap_or(0);
    let start = url.len() - rest.len() + host + rest[host..].find('?')?;
    Some((&url[..start], &url[start + 1..]))
}

/// What is wrong with the certificate, where that is why there is no connection.
pub(super) fn doubt(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let inner = error.downcast_ref::<io::Error>()?.get_ref()?;
    match inner.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => Some(
            "its certificate is of no authority that is known here: `sslrootcert=FILE` in the URL names one".into(),
        ),
        rustls::Error::InvalidCertificate(CertificateError::Other(doubt)) => {
            Some(format!("its certificate is refused: {doubt}"))
        }
        rustls::Error::InvalidCertificate(doubt) => Some(format!("its certificate is refused: {doubt}")),
        _ => None,
    }
}

/// Looks at the certificate before anything is said to the server, the password least of all.
#[derive(Debug)]
pub(super) struct Verifier {
    /// None where anybody may answer.
    authorities: Option<Authorities>,
    algorithms: WebPkiSupportedAlgorithms,
}

#[derive(Debug)]
struct Authorities {
    roots: RootCertStore,
    /// What they were made of, where that is a file.
    given: Vec<CertificateDer<'static>>,
    is_named: bool,
}

impl Verifier {
    pub(super) fn new(trust: &Trust, algorithms: WebPkiSupportedAlgorithms) -> Result<Verifier> {
        let authorities = match trust {
            Trust::Anybody => None,
            Trust::System => Some(Authorities::of_system()?),
            Trust::File { path, is_named } => Some(Authorities::of_file(path, *is_named)?),
        };
        Ok(Verifier { authorities, algorithms })
    }
}

impl Authorities {
    fn of_system() -> Result<Authorities> {
        let mut roots = RootCertStore::empty();
        let (known, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if known == 0 {
            let why = "this system knows no authorities for certificates: `sslrootcert=FILE` in the URL names some";
            return Err(Error::Connection { why: why.into() });
        }
        Ok(Authorities { roots, given: Vec::new(), is_named: true })
    }

    fn of_file(path: &str, is_named: bool) -> Result<Authorities> {
        let refused =
            |why: String| Error::Invalid(format!("`{path}` (`sslrootcert` in the URL of the database): {why}"));
        let pem = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
        let given = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
        let given = given.map_err(|error| refused(error.to_string()))?;
        let mut roots = RootCertStore::empty();
        for certificate in &given {
            roots.add(certificate.clone()).map_err(|error| refused(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(refused("there is no certificate in it".into()));
        }
        Ok(Authorities { roots, given, is_named })
    }

    fn vouch_for(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
        algorithms: &WebPkiSupportedAlgorithms,
    ) -> Result<(), rustls::Error> {
        let certificate = ParsedCertificate::try_from(end_entity)?;
        let signed =
            verify_server_cert_signed_by_trust_anchor(&certificate, &self.roots, intermediates, now, algorithms.all);
        match signed {
            // One that a server has signed for itself says that it is an authority, and none of those may be a
            // server's. Where it is in the file, it is meant. That it has not expired was looked at before.
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(_))) if self.given.contains(end_entity) => {}
            signed => signed?,
        }
        if self.is_named { verify_server_name(&certificate, name) } else { Ok(()) }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let Some(authorities) = &self.authorities {
            authorities.vouch_for(end_entity, intermediates, name, now, &self.algorithms)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        crypto::verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        crypto::verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
