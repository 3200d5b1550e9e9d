//! Connections: how many there may be, and how long one may be silent.
//!
//! A connection that sends no complete request header within [`Caps::header`] is closed, and so is one that is kept open between two
//! requests for as long. When there are as many as allowed, whoever comes next takes the place of the connection that has waited
//! longest without a request under way: half-sent headers never keep a visitor out.

mod body;
mod caps;
mod table;

pub use caps::{Caps, open_files};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use body::Tracked;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use table::{Place, Table};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower::ServiceExt;

/// How long nothing is accepted after the operating system had no file descriptor left.
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes of a request that are kept in memory before somebody reads them; headers must fit.
const BUFFER: usize = 64 << 10;
/// What is sent to whom there is no place for.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// The address that a request came from: of a proxy, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Peer(pub IpAddr);

impl Peer {
    /// The peer at `address`. An IPv6 address stands for its network of 64 bits, which is what one subscriber has.
    pub fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) if !v6.is_loopback() => {
                IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into())
            }
            other => other,
        })
    }
}

/// Serves `router` on `listener` until `stopping` turns true and all requests under way have ended.
pub async fn serve(listener: TcpListener, router: Router, caps: Caps, stopping: watch::Receiver<bool>) {
    let table = Arc::new(Table::new(caps));
    // A place is free when its connection is closed, not when it was told to: so there are never more sockets than places.
    let places = Arc::new(Semaphore::new(caps.total));
    let mut stopped = stopping.clone();
    loop {
        let next = async {
            let accepted = accept(&listener, &table).await;
            admit(accepted, &table, &places).await
        };
        let (stream, place, permit) = tokio::select! {
            _ = stopped.wait_for(|stopping| *stopping) => break,
            admitted = next => match admitted {
                Some(admitted) => admitted,
                None => continue,
            },
        };
        let one = connection(stream, place, router.clone(), caps.header, stopping.clone());
        tokio::spawn(async move {
            one.await;
            drop(permit);
        });
    }
    drop(listener);
    // All places are free when the last connection has ended.
    let all = u32::try_from(caps.total).unwrap_or(u32::MAX);
    let _ = places.acquire_many(all).await;
}

/// The next connection. Without a file descriptor for it, the one that has waited longest is closed.
async fn accept(listener: &TcpListener, table: &Arc<Table>) -> (TcpStream, Peer) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => return (stream, Peer::new(address.ip())),
            // Whoever hung up before being accepted is no fault of ours.
            Err(e) if is_of_one_connection(&e) => {}
            Err(e) => {
                let closed = table.close_oldest(None);
                eprintln!(
                    "warning: no connection can be accepted ({e}); {}",
                    if closed { "the oldest idle one was closed" } else { "trying again" }
                );
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_one_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as K;
    matches!(error.kind(), K::ConnectionRefused | K::ConnectionAborted | K::ConnectionReset)
}

/// A place for a connection, or `None` if requests are under way on all of them.
async fn admit(
    (stream, peer): (TcpStream, Peer),
    table: &Arc<Table>,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, Place, OwnedSemaphorePermit)> {
    let Some(place) = table.enter(peer) else {
        // Whoever does not read it learns nothing; there is no time to wait for them.
        let _ = stream.try_write(FULL);
        return None;
    };
    // Answers are small: waiting for more to send would only make them late.
    let _ = stream.set_nodelay(true);
    let permit = Arc::clone(places).acquire_owned().await.ok()?;
    Some((stream, place, permit))
}

/// Serves one connection until it ends, is told to, or the server stops.
async fn connection(
    stream: TcpStream,
    place: Place,
    router: Router,
    header: Duration,
    mut stopping: watch::Receiver<bool>,
) {
    let place = Arc::new(place);
    let seat = Arc::clone(&place);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (busy, router) = (seat.begin(), router.clone());
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(seat.peer());
        async move {
            let response = router.oneshot(request).await?;
            Ok::<_, Infallible>(response.map(|body| Tracked::new(body, busy)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // However it ended, there is nobody left to tell.
        _ = connection.as_mut() => return,
        () = place.told_to_close() => return,
        _ = stopping.wait_for(|stopping| *stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_64_bits_is_one_peer() {
        let peer = |text: &str| Peer::new(text.parse().unwrap());
        assert_eq!(peer("2001:db8::1"), peer("2001:db8::ffff"));
        assert_ne!(peer("2001:db8::1"), peer("2001:db8:0:1::1"));
        assert_eq!(peer("::ffff:192.0.2.1"), peer("192.0.2.1"));
        assert_ne!(peer("192.0.2.1"), peer("192.0.2.2"));
        assert_eq!(peer("::1"), Peer(std::net::Ipv6Addr::LOCALHOST.into()));
    }
}
