//! Responses: the received one, and the one that is returned.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue};
use reqwest::{StatusCode, Version};

use crate::error::REDACTED_BYTES;
use crate::http::pools::root_cause;

/// A response whose status is a success.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The status, a 2xx.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as a string.
    pub text: String,
}

/// A response as it was received: with any status, and perhaps with part of its body.
pub(crate) struct RawResponse {
    pub(crate) status: StatusCode,
    pub(crate) version: Version,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// The reason why the body is incomplete or compressed; None if it was read to its end.
    pub(crate) body_error: Option<BodyError>,
}

/// The reason why the body of a response could not be read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("it was cut ({})", root_cause(.0))]
    Connection(reqwest::Error),
    #[error("it is longer than {0} bytes")]
    TooLong(usize),
    #[error("it can't be decompressed ({0})")]
    Encoding(std::io::Error),
}

impl RawResponse {
    /// Reads a response whose body has at most `max_body` bytes; of an error response only the beginning is read.
    pub(crate) async fn read(mut received: reqwest::Response, max_body: usize) -> Self {
        let max_body = if received.status().is_success() { max_body } else { max_body.min(REDACTED_BYTES) };
        let mut response = Self {
            status: received.status(),
            version: received.version(),
            headers: std::mem::take(received.headers_mut()),
            body: Vec::with_capacity(expected_length(&received).min(max_body)),
            body_error: None,
        };
        response.body_error = response.read_body(&mut received, max_body).await.err();
        response.decompress(max_body);
        response
    }

    async fn read_body(&mut self, received: &mut reqwest::Response, max_body: usize) -> Result<(), BodyError> {
        while let Some(chunk) = received.chunk().await.map_err(|error| BodyError::Connection(error.without_url()))? {
            if self.body.len() + chunk.len() > max_body {
                return Err(BodyError::TooLong(max_body));
            }
            self.body.extend_from_slice(&chunk);
        }
        Ok(())
    }

    /// Decompresses a body that reqwest left compressed because the name of its encoding is not in lower case.
    fn decompress(&mut self, max_body: usize) {
        const MAGIC: &[u8] = b"\x1F\x8B";
        let encoding = self.headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes).unwrap_or_default().trim_ascii();
        let is_gzip = encoding.eq_ignore_ascii_case(b"gzip") || encoding.eq_ignore_ascii_case(b"x-gzip");
        if !is_gzip || !self.body.starts_with(MAGIC) {
            return;
        }
        let mut body = Vec::new();
        let limit = u64::try_from(max_body).unwrap_or(u64::MAX).saturating_add(1);
        let result = MultiGzDecoder::new(self.body.as_slice()).take(limit).read_to_end(&mut body);
        if body.len() > max_body {
            body.truncate(max_body);
            self.body_error = self.body_error.take().or(Some(BodyError::TooLong(max_body)));
        } else if let Err(error) = result {
            self.body_error = self.body_error.take().or(Some(BodyError::Encoding(error)));
        }
        self.body = body;
        self.headers.remove(CONTENT_ENCODING);
        self.headers.remove(CONTENT_LENGTH);
    }
}

/// Returns the `Content-Length`, but no more than a client should allocate before the bytes are there.
fn expected_length(response: &reqwest::Response) -> usize {
    const MAX_CAPACITY: usize = 1 << 20;
    response
        .content_length()
        .and_then(|length| length.try_into().ok())
        .map_or(0, |length: usize| length.min(MAX_CAPACITY))
}
