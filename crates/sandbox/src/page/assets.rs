//! The files of the page, which contain nothing about the sandbox and so need no token.

use axum::response::Response;
use botdesk_server::response::BufferedResponse;

use super::reply::isolated;

/// The path of the page itself.
pub(super) const PAGE: &str = "/";

/// A file of the page.
pub(super) struct Asset {
    path: &'static str,
    content_type: &'static str,
    content: &'static str,
}

const ASSETS: [Asset; 3] = [
    Asset { path: PAGE, content_type: "text/html; charset=utf-8", content: include_str!("../../page/index.html") },
    Asset {
        path: "/_sandbox/page.css",
        content_type: "text/css; charset=utf-8",
        content: include_str!("../../page/page.css"),
    },
    Asset {
        path: "/_sandbox/page.js",
        content_type: "text/javascript; charset=utf-8",
        content: include_str!("../../page/page.js"),
    },
];

/// Returns the file of a path.
pub(super) fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

impl Asset {
    pub(super) fn to_response(&self) -> Response {
        isolated(BufferedResponse::new(200, self.content).with_content_type(self.content_type)).into_axum()
    }
}
