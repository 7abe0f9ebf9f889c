//! A proxy that holds requests back, as the buffers of a network do. A request that the client has given up arrives nevertheless.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::join;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use botdesk_sandbox::Random;

use crate::traffic::CallId;
use crate::world::{SimulatedService, seconds};

/// The longest time, in seconds, for which a request is held back. The client assumes that a request which it has given up arrives
/// within 30 seconds.
const MAX_HELD: i64 = 29;

/// The most bytes that are read at once, more than a request of the script has.
const CHUNK: usize = 64 << 10;

/// Listens on a port; returns the URL of the proxy as well.
pub(crate) async fn listen() -> io::Result<(TcpListener, String)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    Ok((listener, url))
}

/// Forwards connections to the sandbox.
pub(crate) async fn relay(world: Arc<SimulatedService>, listener: TcpListener, mut random: Random) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let own = Random::new(random.between(0, i64::MAX).unsigned_abs(), 0);
        connections.spawn(forward(Arc::clone(&world), client, own));
    }
}

/// Forwards one connection until both sides have ended it.
async fn forward(world: Arc<SimulatedService>, client: TcpStream, random: Random) {
    let Some(Ok(address)) = world.sandbox.url().strip_prefix("http://").map(str::parse::<SocketAddr>) else { return };
    // Without a connection to the sandbox, the client finds that of the proxy closed.
    let Ok(sandbox) = TcpStream::connect(address).await else { return };
    let (requests, mut to_client) = client.into_split();
    let (mut responses, to_sandbox) = sandbox.into_split();
    let back = async {
        // A client that has given up does not read the response.
        let _ = copy(&mut responses, &mut to_client).await;
        let _ = to_client.shutdown().await;
    };
    // An error means that one side has ended the connection, which the other one learns from its end.
    let _ = join!(back, hold_back(&world, requests, to_sandbox, random));
}

/// Forwards requests after random times, until the client ends the connection.
async fn hold_back(
    world: &SimulatedService,
    mut requests: OwnedReadHalf,
    mut to_sandbox: OwnedWriteHalf,
    mut random: Random,
) -> io::Result<()> {
    let mut bytes = vec![0; CHUNK];
    loop {
        let length = requests.read(&mut bytes).await?;
        let Some(chunk) = bytes.get(..length).filter(|chunk| !chunk.is_empty()) else { return Ok(()) };
        let Some(call) = call_of(chunk) else {
            to_sandbox.write_all(chunk).await?;
            continue;
        };
        let attempt = world.hold_back(call);
        sleep(seconds(&mut random, 1, MAX_HELD)).await;
        world.release(call, attempt);
        to_sandbox.write_all(chunk).await?;
        // The client may have given the request up, and then nothing else stops the clock until it has arrived.
        world.settle().await;
    }
}

/// Returns the call of a request that begins with this line: `GET http://host/c17/public/api/… HTTP/1.1`.
fn call_of(chunk: &[u8]) -> Option<CallId> {
    let line = std::str::from_utf8(chunk).ok()?.lines().next()?;
    let (_, path) = line.split_once("/c")?;
    path.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_line_names_the_call() {
        assert_eq!(call_of(b"GET http://127.0.0.1:8080/c17/public/api/ver1/bots HTTP/1.1\r\nhost: x\r\n"), Some(17));
        assert_eq!(call_of(b"{\"name\": \"the rest of a body\"}"), None);
    }
}
