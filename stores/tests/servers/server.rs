//! Servers that a test kills and restarts with the same data.

use crate::support::required_variable;
use agentwire_stores::nats::{Nats, NatsOptions, async_nats};
use agentwire_stores::postgres::tokio_postgres::{Config, NoTls};
use agentwire_testing::TempDir;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// The timeout of starting and stopping a server.
const LONG: Duration = Duration::from_secs(120);

pub(crate) trait Server {
    /// Starts the server, and waits until it accepts connections.
    async fn start(&mut self);

    /// Kills all processes of the server with SIGKILL, and waits for their exit.
    async fn kill(&mut self);
}

/// A process that listens on a port of the loopback interface.
struct Running {
    port: u16,
    child: Option<Child>,
}

impl Running {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Self { port, child: None }
    }

    async fn start(&mut self, command: &mut Command, log: &Path) {
        let output = std::fs::File::create(log).unwrap();
        let errors = output.try_clone().unwrap();
        let command = command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let child = self
            .child
            .insert(command.kill_on_drop(true).spawn().unwrap());
        let listens = async {
            while TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
                if child.try_wait().unwrap().is_some() {
                    panic!("it exits: {}", std::fs::read_to_string(log).unwrap());
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let listens = tokio::time::timeout(LONG, listens).await;
        listens.expect("the server listens");
    }

    async fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        let id = child.id().expect("it runs");
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        child.start_kill().unwrap();
        let children = children.unwrap();
        for child in children.split_whitespace() {
            let child = rustix::process::Pid::from_raw(child.parse().unwrap()).unwrap();
            // The process may have exited by itself.
            let _ = rustix::process::kill_process(child, rustix::process::Signal::KILL);
        }
        child.wait().await.unwrap();
        let gone = async {
            while children.split_whitespace().any(is_running) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(LONG, gone).await.expect("they exit");
    }
}

fn is_running(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    stat.is_ok_and(|it| !it.rsplit(')').next().unwrap_or("").starts_with(" Z"))
}

/// Returns the library path of a server that is installed outside the system's folders.
fn libraries(name: &str) -> Option<(&'static str, String)> {
    let libraries = required_variable(name);
    (!libraries.is_empty()).then_some(("LD_LIBRARY_PATH", libraries))
}

pub(crate) struct PostgresServer {
    running: Running,
    folder: TempDir,
}

impl PostgresServer {
    /// Creates an empty database cluster.
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let mut initialise = std::process::Command::new(Self::program("initdb"));
        let initialise = initialise
            .arg("--pgdata")
            .arg(folder.path().join("data"))
            .args(["--username=agentwire", "--auth=trust", "--no-sync"])
            .args(["--encoding=UTF8", "--locale=C"])
            .envs(libraries("AGENTWIRE_POSTGRES_LIBRARIES"));
        let output = initialise.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "initdb failed: {errors}");
        Self {
            running: Running::new(),
            folder,
        }
    }

    pub(crate) fn config(&self) -> String {
        let port = self.running.port;
        format!("host=127.0.0.1 port={port} user=agentwire dbname=postgres")
    }

    fn program(name: &str) -> PathBuf {
        Path::new(&required_variable("AGENTWIRE_POSTGRES_PROGRAMS")).join(name)
    }
}

impl Server for PostgresServer {
    async fn start(&mut self) {
        let folder = self.folder.path();
        let mut command = Command::new(Self::program("postgres"));
        let command = command
            .arg("-D")
            .arg(folder.join("data"))
            .args(["-p", &self.running.port.to_string()])
            .args(["-c", "listen_addresses=127.0.0.1"])
            .args(["-c", "unix_socket_directories="])
            .envs(libraries("AGENTWIRE_POSTGRES_LIBRARIES"));
        self.running.start(command, &folder.join("log")).await;
        // The server listens before it has recovered.
        let config: Config = self.config().parse().unwrap();
        let recovers = async {
            while config.connect(NoTls).await.is_err() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let recovers = tokio::time::timeout(LONG, recovers).await;
        recovers.expect("the server recovers");
    }

    async fn kill(&mut self) {
        self.running.kill().await;
    }
}

impl Drop for PostgresServer {
    /// If a server is killed alone, its other processes exit when they notice this.
    fn drop(&mut self) {
        if let Some(id) = self.running.child.as_ref().and_then(Child::id) {
            let id = rustix::process::Pid::from_raw(id.cast_signed()).unwrap();
            let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
            let exits = std::time::Instant::now() + Duration::from_secs(20);
            let child = self.running.child.as_mut().unwrap();
            while child.try_wait().unwrap().is_none() && std::time::Instant::now() < exits {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

pub(crate) struct NatsServer {
    running: Running,
    folder: TempDir,
}

impl NatsServer {
    pub(crate) fn new() -> Self {
        Self::configured(Running::new(), "")
    }

    /// Creates a server with this maximum size of messages.
    pub(crate) fn with_max_payload(bytes: usize) -> Self {
        Self::configured(Running::new(), &format!("max_payload: {bytes}\n"))
    }

    /// Starts the servers of a cluster.
    pub(crate) fn cluster(servers: usize) -> Vec<Self> {
        let all: Vec<_> = (0..servers)
            .map(|_| (Running::new(), Running::new()))
            .collect();
        let routes: Vec<_> = (all.iter())
            .map(|(_, cluster)| format!("nats://127.0.0.1:{}", cluster.port))
            .collect();
        let servers = all.into_iter().enumerate().map(|(number, (clients, it))| {
            let port = it.port;
            let cluster = format!(
                "server_name: \"server-{number}\"\ncluster {{\n name: tests\n \
                 listen: \"127.0.0.1:{port}\"\n routes: {routes:?}\n}}\n"
            );
            Self::configured(clients, &cluster)
        });
        servers.collect()
    }

    fn configured(running: Running, more: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let port = running.port;
        let data = folder.path().join("data");
        // The documentation of the store recommends this configuration.
        let config = format!(
            "listen: \"127.0.0.1:{port}\"\n\
             jetstream {{\n store_dir: {data:?}\n sync_interval: always\n}}\n{more}"
        );
        std::fs::write(folder.path().join("nats.conf"), config).unwrap();
        Self { running, folder }
    }

    pub(crate) fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.running.port)
    }
}

impl Server for NatsServer {
    async fn start(&mut self) {
        let folder = self.folder.path();
        let mut command = Command::new(required_variable("AGENTWIRE_NATS_SERVER"));
        let command = command.arg("--config").arg(folder.join("nats.conf"));
        self.running.start(command, &folder.join("log")).await;
    }

    async fn kill(&mut self) {
        self.running.kill().await;
    }
}

pub(crate) struct RedisServer {
    running: Running,
    folder: TempDir,
}

impl RedisServer {
    pub(crate) fn new() -> Self {
        let (running, folder) = (Running::new(), TempDir::new().unwrap());
        Self { running, folder }
    }

    pub(crate) fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.running.port)
    }
}

impl Server for RedisServer {
    async fn start(&mut self) {
        let folder = self.folder.path();
        let mut command = Command::new(required_variable("AGENTWIRE_REDIS_SERVER"));
        // The documentation of the store recommends this configuration.
        let command = command
            .args(["--bind", "127.0.0.1"])
            .args(["--port", &self.running.port.to_string()])
            .arg("--dir")
            .arg(folder)
            .args(["--appendonly", "yes", "--appendfsync", "always"])
            .envs(libraries("AGENTWIRE_REDIS_LIBRARIES"));
        self.running.start(command, &folder.join("log")).await;
    }

    async fn kill(&mut self) {
        self.running.kill().await;
    }
}

/// A cluster of three servers, which are killed one after the other.
pub(crate) struct NatsCluster {
    servers: Vec<NatsServer>,
    next: usize,
}

impl NatsCluster {
    /// Starts the servers.
    pub(crate) async fn started() -> Self {
        let mut servers = NatsServer::cluster(3);
        for server in &mut servers {
            server.start().await;
        }
        Self { servers, next: 0 }
    }

    /// Creates a store with three replicas.
    pub(crate) async fn store(&self, timeout: Duration) -> Nats {
        let addresses: Vec<_> = self.servers.iter().map(NatsServer::address).collect();
        let client = async_nats::connect(addresses).await.unwrap();
        let options = NatsOptions::new().replicas(3).timeout(timeout);
        // The servers must find each other first.
        let connects = async {
            loop {
                match options.clone().connect(client.clone()).await {
                    Ok(store) => return store,
                    Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                }
            }
        };
        let store = tokio::time::timeout(LONG, connects).await;
        store.expect("the servers find each other")
    }
}

impl Server for NatsCluster {
    async fn start(&mut self) {
        self.servers[self.next].start().await;
        self.next = (self.next + 1) % self.servers.len();
    }

    async fn kill(&mut self) {
        self.servers[self.next].kill().await;
    }
}
