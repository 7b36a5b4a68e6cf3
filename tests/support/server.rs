//! A server on loopback that says byte for byte what a test wants it to say, plain or over TLS.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// One request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET /path HTTP/1.1` and the headers, without the empty line.
    pub head: String,
}

impl Request {
    /// The target of the request line.
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// What a handler writes to; ends when the client goes away or the server is dropped.
pub struct Client<'a> {
    stream: &'a mut dyn Write,
    stop: &'a AtomicBool,
}

impl Client<'_> {
    /// All at once, so that it arrives together.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).and_then(|()| self.stream.flush()).is_ok()
    }

    /// A whole answer with this status, these headers and their body; `Content-Length` is added.
    pub fn answer(&mut self, status: u16, headers: &[(&str, &str)], body: &[u8]) {
        let mut bytes = head(status, headers);
        bytes.truncate(bytes.len() - 2);
        bytes.extend(format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes());
        bytes.extend(body);
        self.send(bytes);
    }

    /// Says the same again and again until nobody listens.
    pub fn repeat(&mut self, bytes: impl AsRef<[u8]>) {
        while !self.stop.load(Ordering::Relaxed) && self.send(bytes.as_ref()) {}
    }

    /// Says one byte after the other, with a pause in between, until nobody listens.
    pub fn drip(&mut self, bytes: &[u8], pause: Duration) {
        for byte in bytes {
            if self.stop.load(Ordering::Relaxed) || !self.send([*byte]) {
                return;
            }
            thread::sleep(pause);
        }
    }

    /// Says nothing until the server is dropped.
    pub fn hang(&mut self) {
        while !self.stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Status line and headers, with the empty line.
pub fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Some Reason\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    (text + "\r\n").into_bytes()
}

pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    requests: Arc<Mutex<Vec<Request>>>,
    connections: Arc<Mutex<usize>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    pub fn plain(handler: impl Fn(&Request, &mut Client<'_>) + Send + Sync + 'static) -> Self {
        Self::start("127.0.0.1:0", None, handler)
    }

    /// With a certificate of this authority for these names.
    pub fn tls(
        authority: &Authority,
        names: &[&str],
        handler: impl Fn(&Request, &mut Client<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::start("127.0.0.1:0", Some(authority.server(names, None)), handler)
    }

    /// With a TLS configuration of one's own.
    pub fn with_config(
        config: Arc<rustls::ServerConfig>,
        handler: impl Fn(&Request, &mut Client<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::start("127.0.0.1:0", Some(config), handler)
    }

    fn start(
        bind: &str,
        config: Option<Arc<rustls::ServerConfig>>,
        handler: impl Fn(&Request, &mut Client<'_>) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(bind).expect("loopback has a free port");
        let address = listener.local_addr().unwrap();
        let scheme = if config.is_some() { "https" } else { "http" };
        let server =
            Self { address, scheme, requests: Arc::default(), connections: Arc::default(), stop: Arc::default() };
        let (requests, connections, stop) = (server.requests.clone(), server.connections.clone(), server.stop.clone());
        let handler = Arc::new(handler);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                *connections.lock().unwrap() += 1;
                let (requests, stop, handler, config) =
                    (requests.clone(), stop.clone(), handler.clone(), config.clone());
                thread::spawn(move || {
                    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
                    let _ = stream.set_write_timeout(Some(Duration::from_secs(20)));
                    let _ = match config {
                        None => serve(stream, &requests, &stop, &*handler),
                        Some(config) => rustls::ServerConnection::new(config)
                            .map_err(io::Error::other)
                            .and_then(|tls| serve(rustls::StreamOwned::new(tls, stream), &requests, &stop, &*handler)),
                    };
                });
            }
        });
        server
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:PORT/path`
    pub fn url(&self, path: &str) -> String {
        self.url_as("127.0.0.1", path)
    }

    /// The same under another name of this machine.
    pub fn url_as(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.port())
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// How often somebody connected, whether or not a request came.
    pub fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve<S: Read + Write>(
    stream: S,
    requests: &Mutex<Vec<Request>>,
    stop: &AtomicBool,
    handler: &(dyn Fn(&Request, &mut Client<'_>) + Send + Sync),
) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if reader.read_until(b'\n', &mut head)? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&head).trim_end().to_owned();
    let request = Request { head };
    requests.lock().unwrap().push(request.clone());
    let mut stream = reader.into_inner();
    handler(&request, &mut Client { stream: &mut stream, stop });
    stream.flush()
}

/// A certificate authority of this test alone.
pub struct Authority {
    key: rcgen::KeyPair,
    certificate: rcgen::Certificate,
    params: rcgen::CertificateParams,
}

impl Authority {
    pub fn new() -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, "test authority");
        let certificate = params.self_signed(&key).unwrap();
        Self { key, certificate, params }
    }

    /// What `--cacert` takes.
    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// A server's configuration with a certificate for these names, valid until the given day if one is given.
    pub fn server(&self, names: &[&str], until: Option<(i32, u8, u8)>) -> Arc<rustls::ServerConfig> {
        let key = rcgen::KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = rcgen::CertificateParams::new(names).unwrap();
        if let Some((year, month, day)) = until {
            params.not_before = rcgen::date_time_ymd(year - 1, month, day);
            params.not_after = rcgen::date_time_ymd(year, month, day);
        }
        let issuer = rcgen::Issuer::from_params(&self.params, &self.key);
        let certificate = params.signed_by(&key, &issuer).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        Arc::new(config)
    }
}
