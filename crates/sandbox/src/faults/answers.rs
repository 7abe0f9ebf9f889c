//! What is sent where a fault happens.

use std::io::Write;
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderName, HeaderValue, Method};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Fault, Kind};
use botdesk_server::answer::{Refusal, Reply, reason};
use botdesk_server::script::Script;

/// How large a huge body is; clients of the service take 32 MiB at most.
const HUGE: usize = 40 << 20;

/// How large a bomb is once it is unpacked.
const BOMB: usize = 128 << 20;

/// How much of a large body is made at a time.
const PART: usize = 64 << 10;

/// How deep deep JSON is.
const DEEP: usize = 10_000;

/// How many headers a flood has.
const FLOOD: usize = 2_000;

/// Where a redirect leads if nothing else is said: a host that does not exist, by the rules for names.
const ELSEWHERE: &str = "http://elsewhere.invalid/";

/// What a proxy says for a service that it can't reach.
fn page(status: u16) -> String {
    let title = format!("{status} {}", reason(status));
    format!("<html><head><title>{title}</title></head><body><center><h1>{title}</h1></center></body></html>\n")
}

/// The answer in place of a request that is not carried out; None where there is no answer.
pub(crate) fn instead(fault: &Fault, method: &Method, operation: Option<&str>, number: u64) -> Option<Reply> {
    match fault.kind {
        Kind::Status => Some(error(fault, method, operation, number)),
        Kind::Redirect => {
            let target = fault.details.location.as_deref().unwrap_or(ELSEWHERE);
            let target = HeaderValue::from_str(target).ok()?;
            Some(Reply::new(302, "text/html", page(302), number).with(LOCATION, target))
        }
        _ => None,
    }
}

fn error(fault: &Fault, method: &Method, operation: Option<&str>, number: u64) -> Reply {
    let status = fault.details.status.unwrap_or(429);
    if matches!(status, 502 | 504) && fault.details.retry_after.is_none() {
        return Reply::new(status, "text/html", page(status), number);
    }
    let refusal = if fault.details.plan {
        Refusal::not_in_plan(*method == Method::GET)
    } else {
        Refusal::of_status(status, operation)
    };
    let refusal = match &fault.details.retry_after {
        Some(when) => refusal.retry_after(when),
        None => refusal,
    };
    Reply::refusal(refusal, number)
}

/// The answer to a request that was carried out, spoiled.
pub(crate) enum Spoiled {
    /// The server can write it.
    Reply(Reply),
    /// It must be written past the server.
    Script(Script),
}

/// An answer spoiled by a fault.
pub(crate) fn spoiled(fault: &Fault, reply: Reply) -> Spoiled {
    match fault.kind {
        Kind::Trickle => {
            let bytes = whole(&reply, reply.body.len());
            let each = bytes.into_iter().map(|byte| Bytes::copy_from_slice(&[byte]));
            Spoiled::Script(Script::of(each).slowly(fault.details.interval.unwrap_or_default()))
        }
        Kind::CutBody => Spoiled::Script(once(cut(&reply))),
        Kind::WrongLength => Spoiled::Script(once(whole(&reply, reply.body.len().saturating_sub(1)))),
        Kind::HugeBody => Spoiled::Script(huge(&reply)),
        Kind::HeaderFlood => Spoiled::Script(once(flooded(reply))),
        Kind::WrongJson => Spoiled::Reply(broken_off(reply)),
        Kind::BadUtf8 => Spoiled::Reply(Reply { body: b"{\"name\": \"\xff\xfe\"}".to_vec(), ..reply }),
        Kind::DeepJson => Spoiled::Reply(Reply { body: ["[".repeat(DEEP), "]".repeat(DEEP)].concat().into(), ..reply }),
        Kind::GzipBomb => Spoiled::Reply(bomb(reply)),
        Kind::Status
        | Kind::Refuse
        | Kind::Reset
        | Kind::CloseBefore
        | Kind::CloseAfter
        | Kind::Stall
        | Kind::Redirect => Spoiled::Script(Script::nothing()),
    }
}

fn once(bytes: Vec<u8>) -> Script {
    Script::of(std::iter::once(Bytes::from(bytes)))
}

/// Head and body, the body said to be that long.
fn whole(reply: &Reply, length: usize) -> Vec<u8> {
    let mut bytes = reply.head(length);
    bytes.extend(&reply.body);
    bytes
}

/// The answer with half of its body, the headers telling of the whole.
fn cut(reply: &Reply) -> Vec<u8> {
    let mut bytes = reply.head(reply.body.len());
    bytes.extend(reply.body.iter().take(reply.body.len() / 2));
    bytes
}

/// The answer with half of its body, the headers telling of that half.
fn broken_off(mut reply: Reply) -> Reply {
    reply.body.truncate(reply.body.len() / 2);
    reply
}

/// A JSON object with one text that is too long. It is made as it is sent.
fn huge(reply: &Reply) -> Script {
    let (begin, end) = (Bytes::from_static(b"{\"name\": \""), Bytes::from_static(b"\"}"));
    let head = Bytes::from(reply.head(begin.len() + HUGE + end.len()));
    let filling = std::iter::repeat_n(Bytes::from(vec![b'x'; PART]), HUGE / PART);
    Script::of([head, begin].into_iter().chain(filling).chain([end]))
}

fn flooded(mut reply: Reply) -> Vec<u8> {
    let value = HeaderValue::from_static("drop");
    for number in 0..FLOOD {
        if let Ok(name) = HeaderName::try_from(format!("x-flood-{number}")) {
            reply.headers.insert(name, value.clone());
        }
    }
    whole(&reply, reply.body.len())
}

fn bomb(reply: Reply) -> Reply {
    /// It takes a moment to make, so it is made once.
    static PACKED: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        let part = vec![b' '; PART];
        for _ in 0..BOMB / PART {
            // Writing into memory does not fail.
            let _ = packed.write_all(&part);
        }
        packed.finish().unwrap_or_default()
    });
    Reply { body: PACKED.clone(), ..reply }
        .with(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
        .with(CONTENT_TYPE, HeaderValue::from_static("application/json"))
}
