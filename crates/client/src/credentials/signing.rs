//! Signs a request over exactly the bytes that it sends.

use reqwest::Request;
use reqwest::header::{HeaderName, HeaderValue};

use crate::credentials::private_key::KeyError;
use crate::credentials::signature_cache::SignatureCache;
use crate::credentials::signing_key::SigningKey;

/// The header of the API key.
pub const API_KEY: HeaderName = HeaderName::from_static("apikey");

/// The header of the signature.
pub const SIGNATURE: HeaderName = HeaderName::from_static("signature");

/// Returns the signature payload of a request: its path from `/public/api` on, then `?` and the query string, or the body. For a
/// system-generated key, a `?` is before the body too, unless a query string is.
///
/// `prefix` is the path of the base URL, which comes before the signed path.
pub fn payload(request: &Request, prefix: &str, key: &SigningKey) -> Vec<u8> {
    let url = request.url();
    let path = url.path().strip_prefix(prefix).unwrap_or(url.path());
    let mut payload = path.as_bytes().to_vec();
    if let Some(query) = url.query() {
        payload.push(b'?');
        payload.extend_from_slice(query.as_bytes());
    }
    if let Some(body) = request.body().and_then(reqwest::Body::as_bytes) {
        if url.query().is_none() {
            payload.extend_from_slice(key.body_separator().as_bytes());
        }
        payload.extend_from_slice(body);
    }
    payload
}

/// Signs a request; nothing may change it afterwards.
pub fn sign(
    request: &mut Request,
    prefix: &str,
    api_key: &HeaderValue,
    key: &SigningKey,
    cache: &SignatureCache,
) -> Result<(), KeyError> {
    let payload = payload(request, prefix, key);
    let sign = || {
        let mut signature = HeaderValue::try_from(key.sign(&payload)?).map_err(|_| KeyError::cannot_sign())?;
        signature.set_sensitive(true);
        Ok(signature)
    };
    let signature = if key.is_slow() { cache.get_or_sign(&payload, sign) } else { sign() }?;
    request.headers_mut().insert(API_KEY, api_key.clone());
    request.headers_mut().insert(SIGNATURE, signature);
    Ok(())
}
