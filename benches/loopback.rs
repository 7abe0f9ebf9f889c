//! A loopback server with minimal costs, the same for all contenders: keep-alive, prepared responses, no checks.
//!
//! Reads two responses from its input, each after a line with its length: one for a single bot, one for a page of bots. Prints
//! its port and serves until its input ends. A response is sent as one block of bytes with its header and body: with two
//! blocks, the second would wait 40 ms for the client's delayed acknowledgement.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const END_OF_HEADER: &[u8] = b"\r\n\r\n";

/// The part of a path that identifies a request for one bot.
const ONE: &[u8] = b"/show";

struct Responses {
    /// The response before and after the identifier of the bot.
    bot: (Vec<u8>, Vec<u8>),
    page: Vec<u8>,
}

impl Responses {
    /// Returns the response with the bot that a request line names.
    fn bot(&self, line: &[u8]) -> Vec<u8> {
        let digits =
            line.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
        let (before, after) = &self.bot;
        response(&[before, digits.unwrap_or_default(), after].concat())
    }
}

/// Splits the body with a bot around its identifier.
fn around_identifier(body: &[u8]) -> (Vec<u8>, Vec<u8>) {
    const ID: &[u8] = b"\"id\":";
    let end = memchr::memmem::find(body, ID).map_or(0, |start| start + ID.len());
    let (before, rest) = body.split_at(end);
    let digits = rest.iter().take_while(|byte| matches!(byte, b' ' | b'0'..=b'9')).count();
    (before.to_vec(), rest.get(digits..).unwrap_or_default().to_vec())
}

fn main() -> Result<(), Box<dyn Error>> {
    let responses = {
        let mut input = std::io::stdin().lock();
        Arc::new(Responses { bot: around_identifier(&body(&mut input)?), page: response(&body(&mut input)?) })
    };
    // One thread leaves the other core to the contenders.
    tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(serve(responses))
}

fn body(input: &mut impl std::io::BufRead) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut length = String::new();
    input.read_line(&mut length)?;
    let mut body = vec![0; length.trim().parse()?];
    input.read_exact(&mut body)?;
    Ok(body)
}

fn response(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

async fn serve(responses: Arc<Responses>) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let mut output = std::io::stdout();
    writeln!(output, "{}", listener.local_addr()?.port())?;
    output.flush()?;
    // The parent process ends the server by closing its input.
    std::thread::spawn(|| {
        let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        // A client that disconnects early is not an error of the server.
        tokio::spawn({
            let responses = Arc::clone(&responses);
            async move { drop(connection(stream, &responses).await) }
        });
    }
}

/// Responds to each complete request; the requests have no bodies.
async fn connection(mut stream: TcpStream, responses: &Responses) -> std::io::Result<()> {
    let mut unread = Vec::new();
    loop {
        if stream.read_buf(&mut unread).await? == 0 {
            return Ok(());
        }
        while let Some(end) = memchr::memmem::find(&unread, END_OF_HEADER) {
            let header: Vec<u8> = unread.drain(..end + END_OF_HEADER.len()).collect();
            let line = header.split(|byte| *byte == b'\r').next().unwrap_or_default();
            let one = memchr::memmem::find(line, ONE).is_some();
            if one {
                stream.write_all(&responses.bot(line)).await?;
            } else {
                stream.write_all(&responses.page).await?;
            }
        }
    }
}
