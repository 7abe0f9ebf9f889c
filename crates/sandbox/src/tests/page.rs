//! The page of a sandbox, against bytes on a socket: who may read its API and who may not, and what its actions do.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{Response, TestClient, fields};
use crate::{Fault, FaultOptions, LimitOptions, SandboxOptions};

impl TestClient {
    fn token(&self) -> String {
        self.sandbox.page_url().split_once('#').unwrap().1.to_owned()
    }

    fn host(&self) -> &str {
        self.sandbox.url().strip_prefix("http://").unwrap()
    }

    /// Sends a request with exactly these headers, and no others than `Connection` and `Content-Length`.
    async fn send_exactly(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let lines = headers.iter().fold(String::new(), |lines, (name, value)| format!("{lines}{name}: {value}\r\n"));
        let length = body.len();
        let head =
            format!("{method} {target} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{lines}\r\n");
        self.send_bytes(&[head.as_bytes(), body.as_bytes()].concat()).await
    }

    /// Performs an action as the page does.
    async fn act(&self, action: &str, inputs: &Value) -> Response {
        let (host, token) = (self.host(), self.token());
        let headers = [
            ("Host", host),
            ("Origin", self.sandbox.url()),
            ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "application/json"),
            ("X-Botdesk-Token", &token),
        ];
        self.send_exactly("POST", &format!("/_sandbox/actions/{action}"), &headers, &inputs.to_string()).await
    }

    /// Performs an action that fails, and returns its message.
    async fn failed(&self, action: &str, inputs: Value) -> (u16, String) {
        let response = self.act(action, &inputs).await;
        (response.status, response.body["error"].as_str().unwrap().to_owned())
    }

    async fn overview(&self) -> Value {
        let (host, token) = (self.host(), self.token());
        let headers = [("Host", host), ("Sec-Fetch-Site", "same-origin"), ("X-Botdesk-Token", &token)];
        let response = self.send_exactly("GET", "/_sandbox/state", &headers, "").await;
        assert_eq!(response.status, 200, "{}", response.body);
        response.body
    }

    /// Returns the rows of a table of the page, each as an object.
    async fn rows(&self, table: &str) -> Vec<Value> {
        let overview = self.overview().await;
        let tables = overview["tables"].as_array().unwrap();
        let table = tables.iter().find(|one| one["name"] == table).unwrap();
        let columns = table["columns"].as_array().unwrap();
        let row = |row: &Value| {
            let cells = row.as_array().unwrap().iter().cloned();
            columns.iter().map(|column| column.as_str().unwrap().to_owned()).zip(cells).collect()
        };
        table["rows"].as_array().unwrap().iter().map(row).collect()
    }

    /// Returns whether the clock still shows the time of a new sandbox, so that no request advanced it.
    async fn is_untouched(&self) -> bool {
        self.sandbox.now() == Self::open(1).await.sandbox.now()
    }
}

const ADVANCE: (&str, &str) = ("/_sandbox/actions/advance", r#"{"seconds":"60"}"#);

#[tokio::test]
async fn the_files_of_the_page_isolate_it_from_other_sites() {
    let client = TestClient::open(1).await;
    for (path, kind) in
        [("/", "text/html"), ("/_sandbox/page.js", "text/javascript"), ("/_sandbox/page.css", "text/css")]
    {
        let response = client.send_exactly("GET", path, &[("Host", client.host())], "").await;
        assert_eq!(response.status, 200, "{path}");
        for expected in [
            &format!("content-type: {kind}; charset=utf-8"),
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';",
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(response.head.contains(expected), "{path}: {expected}: {}", response.head);
        }
        assert!(!response.head.contains("access-control-"), "{}", response.head);
    }
}

#[tokio::test]
async fn the_files_of_the_page_name_no_other_site_and_have_no_inline_code() {
    let html = include_str!("../../page/index.html");
    let script = include_str!("../../page/page.js");
    for content in [html, script, include_str!("../../page/page.css")] {
        assert!(!content.contains("//cdn") && !content.contains("http:") && !content.contains("https:"));
    }
    for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser"]
    {
        assert!(!script.contains(sink), "{sink}");
    }
    for inline in ["onclick=", "onload=", "style=", "<style", "javascript:"] {
        assert!(!html.contains(inline), "{inline}");
    }
}

#[tokio::test]
async fn the_page_advances_the_clock() {
    let client = TestClient::open(1).await;
    let before = client.sandbox.now();
    let response = client.act("advance", &json!({"seconds": "3600"})).await;
    assert_eq!((response.status, response.body), (200, json!({})));
    assert_eq!(client.sandbox.now().duration_since(before).as_secs(), 3_600);
    assert!(!response.head.contains("access-control-"), "{}", response.head);
}

#[tokio::test]
async fn a_program_without_an_origin_needs_the_token_only() {
    let client = TestClient::open(1).await;
    let token = client.token();
    let headers = [("Host", client.host()), ("Content-Type", "application/json"), ("X-Botdesk-Token", &token)];
    assert_eq!(client.send_exactly("POST", ADVANCE.0, &headers, ADVANCE.1).await.status, 200);
}

#[tokio::test]
async fn without_its_token_nothing_is_read_or_changed() {
    let client = TestClient::open(1).await;
    let token = client.token();
    let other = TestClient::open(1).await.token();
    let (longer, upper) = (format!("{token}x"), token.to_uppercase());
    let shorter: String = token.chars().skip(1).collect();
    let wrong = ["", "x", &shorter, &longer, &upper, &other].map(Some);
    for given in wrong.into_iter().chain([None]) {
        for (method, target, body) in [("POST", ADVANCE.0, ADVANCE.1), ("GET", "/_sandbox/state", "")] {
            let mut headers = vec![("Host", client.host()), ("Content-Type", "application/json")];
            headers.extend(given.map(|given| ("X-Botdesk-Token", given)));
            let response = client.send_exactly(method, target, &headers, body).await;
            assert_eq!(response.status, if given.is_some() { 403 } else { 401 }, "{method} {given:?}");
            let message = response.body["error"].as_str().unwrap();
            assert!(message.contains("open the URL that `botdesk sandbox` printed"), "{message}");
        }
    }
    let twice = [("Host", client.host()), ("X-Botdesk-Token", &token), ("X-Botdesk-Token", &other)];
    assert_eq!(client.send_exactly("GET", "/_sandbox/state", &twice, "").await.status, 401);
    let in_query = format!("/_sandbox/state?token={token}#{token}");
    assert_eq!(client.send_exactly("GET", &in_query, &[("Host", client.host())], "").await.status, 401);
    assert!(client.is_untouched().await);
}

#[tokio::test]
async fn a_page_of_another_origin_is_rejected_even_with_the_token() {
    let client = TestClient::open(1).await;
    let token = client.token();
    let same_host_other_port = "http://127.0.0.1:1";
    let as_https = client.sandbox.url().replace("http:", "https:");
    for origin in ["http://evil.example", "null", "", same_host_other_port, &as_https, client.host()] {
        let headers = [
            ("Host", client.host()),
            ("Origin", origin),
            ("Content-Type", "application/json"),
            ("X-Botdesk-Token", &token),
        ];
        let response = client.send_exactly("POST", ADVANCE.0, &headers, ADVANCE.1).await;
        assert_eq!(response.status, 403, "{origin}");
        assert!(!response.head.contains("access-control-"), "{}", response.head);
    }
    for site in ["cross-site", "same-site", "none"] {
        let headers = [
            ("Host", client.host()),
            ("Sec-Fetch-Site", site),
            ("Content-Type", "application/json"),
            ("X-Botdesk-Token", &token),
        ];
        assert_eq!(client.send_exactly("POST", ADVANCE.0, &headers, ADVANCE.1).await.status, 403, "{site}");
        assert_eq!(client.send_exactly("GET", "/_sandbox/state", &headers, "").await.status, 403, "{site}");
    }
    assert!(client.is_untouched().await);
}

#[tokio::test]
async fn a_form_of_another_origin_changes_nothing() {
    let client = TestClient::open(1).await;
    let token = client.token();
    for kind in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"] {
        let from_elsewhere = [("Host", client.host()), ("Origin", "http://evil.example"), ("Content-Type", kind)];
        assert_eq!(client.send_exactly("POST", ADVANCE.0, &from_elsewhere, ADVANCE.1).await.status, 403, "{kind}");
        let without_origin = [("Host", client.host()), ("Content-Type", kind)];
        assert_eq!(client.send_exactly("POST", ADVANCE.0, &without_origin, ADVANCE.1).await.status, 401, "{kind}");
        let with_token = [("Host", client.host()), ("Content-Type", kind), ("X-Botdesk-Token", &token)];
        assert_eq!(client.send_exactly("POST", ADVANCE.0, &with_token, ADVANCE.1).await.status, 415, "{kind}");
    }
    assert!(client.is_untouched().await);
}

#[tokio::test]
async fn a_preflight_allows_nothing() {
    let client = TestClient::open(1).await;
    for origin in ["http://evil.example", client.sandbox.url()] {
        let headers = [
            ("Host", client.host()),
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "x-botdesk-token,content-type"),
        ];
        let response = client.send_exactly("OPTIONS", ADVANCE.0, &headers, "").await;
        assert!(matches!(response.status, 401 | 403), "{}", response.status);
        assert!(!response.head.contains("access-control-"), "{}", response.head);
    }
}

#[tokio::test]
async fn a_name_that_resolves_to_this_machine_is_rejected() {
    let client = TestClient::open(1).await;
    let (token, port) = (client.token(), client.host().rsplit(':').next().unwrap());
    for host in ["evil.example", "127.0.0.1.evil.example", "0.0.0.0"] {
        let host = format!("{host}:{port}");
        let origin = format!("http://{host}");
        let headers = [
            ("Host", host.as_str()),
            ("Origin", &origin),
            ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "application/json"),
            ("X-Botdesk-Token", &token),
        ];
        assert_eq!(client.send_exactly("POST", ADVANCE.0, &headers, ADVANCE.1).await.status, 403, "{host}");
        assert_eq!(client.send_exactly("GET", "/_sandbox/state", &headers, "").await.status, 403, "{host}");
        assert_eq!(client.send_exactly("GET", "/_sandbox/page.js", &headers, "").await.status, 403, "{host}");
        assert_eq!(client.send_exactly("GET", "/", &headers, "").await.status, 404, "{host}");
        // The target of a request may name the host too.
        let absolute = format!("http://{host}/_sandbox/state");
        let local = [("Host", client.host()), ("X-Botdesk-Token", &token)];
        assert_eq!(client.send_exactly("GET", &absolute, &local, "").await.status, 403, "{host}");
    }
    let twice = [("Host", client.host()), ("Host", "evil.example"), ("X-Botdesk-Token", &token)];
    assert_ne!(client.send_exactly("GET", "/_sandbox/state", &twice, "").await.status, 200);
    assert_ne!(client.send_exactly("GET", "/_sandbox/state", &[("X-Botdesk-Token", &token)], "").await.status, 200);
    assert!(client.is_untouched().await);
}

#[tokio::test]
async fn localhost_and_a_forwarded_port_are_this_machine() {
    let client = TestClient::open(1).await;
    let token = client.token();
    for host in ["localhost:9000", "[::1]:9000", "127.0.0.1:9000"] {
        let origin = format!("http://{host}");
        let headers = [("Host", host), ("Origin", origin.as_str()), ("X-Botdesk-Token", &token)];
        assert_eq!(client.send_exactly("GET", "/_sandbox/state", &headers, "").await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_path_or_a_method_that_the_page_lacks_is_reported() {
    let client = TestClient::open(1).await;
    let token = client.token();
    let headers = [("Host", client.host()), ("Content-Type", "application/json"), ("X-Botdesk-Token", &token)];
    for (method, target, status, allow) in [
        ("GET", "/_sandbox/", 404, None),
        ("GET", "/_sandbox/nothing", 404, None),
        ("POST", "/_sandbox/actions/nothing", 404, None),
        ("POST", "/_sandbox/state", 405, Some("GET")),
        ("GET", "/_sandbox/actions/reset", 405, Some("POST")),
        ("DELETE", "/_sandbox/page.js", 405, Some("GET, HEAD")),
    ] {
        let response = client.send_exactly(method, target, &headers, "{}").await;
        assert_eq!(response.status, status, "{method} {target}");
        let allow = allow.map(|allow| format!("\r\nallow: {}", allow.to_ascii_lowercase()));
        assert!(allow.is_none_or(|allow| response.head.contains(&allow)), "{}", response.head);
    }
}

#[tokio::test]
async fn paths_of_the_service_behind_any_proxy_are_not_the_pages() {
    let client = TestClient::open(1).await;
    let response = client.send("GET", "/_sandbox/public/api/ver1/bots", "", "").await;
    assert_eq!((response.status, &response.body["error"]), (401, &json!("api_key_invalid_or_expired")));
    assert_eq!(client.send("POST", "/", "", "").await.status, 404);
    assert_eq!(client.send("GET", "/_sandbox", "", "").await.status, 404);
}

#[tokio::test]
async fn requests_of_the_page_are_neither_logged_nor_counted_and_trigger_no_fault() {
    let client =
        TestClient::with(SandboxOptions { limits: LimitOptions::per_minute(1), ..SandboxOptions::default() }).await;
    client.sandbox.add_fault(Fault::new("*", "stall", None, FaultOptions::default()).unwrap()).await;
    for _ in 0..20 {
        client.overview().await;
        assert_eq!(client.act("advance", &json!({"seconds": "0"})).await.status, 200);
        client.send_exactly("GET", "/", &[("Host", client.host())], "").await;
        client.send_exactly("GET", "/_sandbox/state", &[("Host", client.host())], "").await;
    }
    assert!(client.sandbox.requests().is_empty());
    assert!(client.sandbox.injected_faults().is_empty());
    client.sandbox.clear_faults().unwrap();
    assert_eq!(client.get("/ver1/bots").await.status, 200);
}

#[tokio::test]
async fn the_page_shows_the_state_without_secrets() {
    let client = TestClient::open(2).await;
    client.sandbox.set_price("USDT_BTC", "61000.10".parse().unwrap()).unwrap();
    client.sandbox.add("dca_bots", fields(json!({"name": r#"{"api_key": "hunter4"}"#}), json!({}))).unwrap();
    client.request("PATCH", "/ver1/bots/41/update?secret=hunter2", r#"{"url_secret":"hunter3"}"#).await;
    let prices = client.rows("prices").await;
    let bitcoin = prices.iter().find(|row| row["pair"] == "USDT_BTC").unwrap();
    assert_eq!(bitcoin["price"], "61000.10");
    let bots = client.rows("dca_bots").await;
    assert_eq!(bots.iter().map(|bot| bot["id"].as_str().unwrap()).collect::<Vec<_>>(), ["41", "42", "43"]);
    assert!(!client.rows("deals").await.is_empty() && !client.rows("grid_bots").await.is_empty());
    let requests = client.rows("requests").await;
    assert_eq!((&requests[0]["method"], &requests[0]["executed"]), (&json!("PATCH"), &json!("no")));
    assert!(requests[0]["ms"].as_str().unwrap().parse::<f64>().unwrap() >= 0.0);
    let shown = client.overview().await.to_string();
    let bot = client.show(41).await;
    for secret in
        ["hunter2", "hunter3", "hunter4", &client.api_key, &client.token(), bot["url_secret"].as_str().unwrap()]
    {
        assert!(!shown.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn the_newest_requests_come_first_and_the_number_of_all_is_shown() {
    let client = TestClient::open(1).await;
    for number in 0..105 {
        client.send("GET", &format!("/nowhere/{number}"), "", "").await;
    }
    let overview = client.overview().await;
    let table = overview["tables"].as_array().unwrap().iter().find(|one| one["name"] == "requests").unwrap();
    assert_eq!((table["rows"].as_array().unwrap().len(), &table["total"]), (100, &json!(105)));
    assert_eq!(table["rows"][0][1], "/nowhere/104");
}

#[tokio::test]
async fn looking_at_the_page_does_not_complete_a_cancellation() {
    let client = TestClient::open(1).await;
    assert_eq!(client.request("POST", "/ver1/bots/41/cancel_all_deals", "").await.status, 200);
    for _ in 0..10 {
        assert!(client.rows("deals").await.iter().all(|deal| deal["status"] == "cancel_pending"));
    }
}

#[tokio::test]
async fn deals_show_their_entry_price_and_a_rounded_profit() {
    let client = TestClient::with(SandboxOptions::default()).await;
    let deals = client.rows("deals").await;
    assert!(deals.iter().any(|deal| deal["bot_name"].as_str().unwrap().contains("short")), "{deals:?}");
    for deal in deals {
        assert!(deal["entry_price"].as_str().unwrap().parse::<f64>().unwrap() > 0.0, "{deal}");
        assert!(deal["profit"].as_str().unwrap().len() <= 8, "{deal}");
    }
    let overview = client.overview().await;
    let table = overview["tables"].as_array().unwrap().iter().find(|table| table["name"] == "deals").unwrap();
    assert_ne!(table["rows"], table["whole"]);
}

#[tokio::test]
async fn prices_move_and_jump() {
    let client = TestClient::open(1).await;
    assert_eq!(client.act("set_price", &json!({"pair": "USDT_NEW", "price": "100.000"})).await.status, 200);
    assert_eq!(client.act("move_price", &json!({"pair": "USDT_NEW", "price": " 101.5 "})).await.status, 200);
    let prices = client.rows("prices").await;
    assert_eq!(prices.iter().find(|row| row["pair"] == "USDT_NEW").unwrap()["price"], "101.5");
}

#[tokio::test]
async fn the_clock_follows_the_wall_clock_and_stops() {
    let client = TestClient::open(1).await;
    assert_eq!(client.act("follow_wall_clock", &json!({})).await.status, 200);
    assert_eq!(client.overview().await["clock"]["follows_wall_clock"], true);
    assert_eq!(client.act("stop_clock", &json!({})).await.status, 200);
    assert_eq!(client.overview().await["clock"]["follows_wall_clock"], false);
}

#[tokio::test]
async fn faults_are_injected_shown_and_cleared() {
    let client = TestClient::open(1).await;
    let fault =
        json!({"operation": "dca_bots.get", "kind": "status", "times": "2", "status": "503", "retry_after": "7"});
    assert_eq!(client.act("add_fault", &fault).await.status, 200);
    assert_eq!(client.get("/ver1/bots/41/show").await.status, 503);
    let pending = client.rows("pending_faults").await;
    assert_eq!(pending, [json!({"operation": "dca_bots.get", "kind": "status", "times": "1"})]);
    let injected = client.rows("injected_faults").await;
    assert_eq!(
        (&injected[0]["kind"], &injected[0]["path"]),
        (&json!("status"), &json!("/public/api/ver1/bots/41/show"))
    );
    assert_eq!(client.act("clear_faults", &json!({})).await.status, 200);
    assert_eq!(client.get("/ver1/bots/41/show").await.status, 200);
}

#[tokio::test]
async fn a_fault_of_connections_does_not_cut_off_the_page_that_injects_it() {
    let client = TestClient::open(1).await;
    let token = client.token();
    let mut page = client.connect().await;
    for (action, inputs) in [
        ("add_fault", r#"{"operation":"*","kind":"refuse"}"#),
        ("clear_faults", "{}"),
        ("add_fault", r#"{"operation":"*","kind":"reset"}"#),
        ("advance", r#"{"seconds":"1"}"#),
    ] {
        let request = format!(
            "POST /_sandbox/actions/{action} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             X-Botdesk-Token: {token}\r\nContent-Length: {}\r\n\r\n{inputs}",
            client.host(),
            inputs.len()
        );
        page.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        while !response.ends_with(b"\r\n\r\n{}") {
            assert_ne!(page.read_buf(&mut response).await.unwrap(), 0, "{action} {inputs}");
        }
        assert!(response.starts_with(b"HTTP/1.1 200 OK\r\n"));
    }
    assert_eq!(client.sandbox.pending_faults().len(), 1);
}

#[tokio::test]
async fn a_reset_returns_to_the_start_and_keeps_the_api_keys() {
    let client = TestClient::with(SandboxOptions {
        limits: LimitOptions::per_minute(2),
        fee: "0.001".parse().unwrap(),
        ..SandboxOptions::default()
    })
    .await;
    let before = client.get("/ver1/bots/41/show").await.body;
    client.sandbox.move_price("USDT_BTC", "50000".parse().unwrap()).unwrap();
    client.sandbox.add_fault(Fault::new("dca_bots.list", "stall", None, FaultOptions::default()).unwrap()).await;
    assert_eq!(client.request("POST", "/ver1/bots/41/disable", "").await.status, 201);
    assert_eq!(client.get("/ver1/bots/41/show").await.status, 429);
    assert_eq!(client.act("reset", &json!({})).await.status, 200);
    assert!(client.sandbox.requests().is_empty() && client.sandbox.pending_faults().is_empty());
    assert_eq!(client.get("/ver1/bots/41/show").await.body, before);
    assert_eq!(client.sandbox.requests().len(), 1);
}

#[tokio::test]
async fn invalid_inputs_are_reported_and_change_nothing() {
    let client = TestClient::open(1).await;
    let cases = [
        (
            "move_price",
            json!({"pair": "BTC-USDT", "price": "1"}),
            "pair: 'BTC-USDT' is not a pair; write it as 'USDT_BTC'",
        ),
        (
            "move_price",
            json!({"pair": "USDT_BTC", "price": "1,5"}),
            r#"price: must be a number, such as 61000.5, not "1,5""#,
        ),
        ("set_price", json!({"pair": "USDT_BTC", "price": "-1"}), "price: must be greater than 0, not -1"),
        (
            "set_price",
            json!({"pair": "USDT_BTC", "price": "NaN"}),
            r#"price: must be a number, such as 61000.5, not "NaN""#,
        ),
        ("advance", json!({"seconds": "-1"}), r#"seconds: must be a number of seconds, 0 or more, not "-1""#),
        ("advance", json!({"seconds": "inf"}), r#"seconds: must be a number of seconds, 0 or more, not "inf""#),
        ("advance", json!({"seconds": "1 h"}), r#"seconds: must be a number of seconds, 0 or more, not "1 h""#),
        ("add_fault", json!({"operation": "*", "kind": "stall", "times": "0"}), "times: must be at least 1"),
        (
            "add_fault",
            json!({"operation": "*", "kind": "status", "status": "99999"}),
            r#"status: must be a status, such as 503, not "99999""#,
        ),
        (
            "add_fault",
            json!({"operation": "dca_bots.edt", "kind": "stall"}),
            r#"operation: unknown operation "dca_bots.edt"; did you mean dca_bots.edit?"#,
        ),
        (
            "add_fault",
            json!({"operation": "*", "kind": "trickle", "interval": "-1"}),
            "interval: must be a number of seconds, 0 or more, not -1",
        ),
    ];
    for (action, inputs, message) in cases {
        assert_eq!(client.failed(action, inputs).await, (400, message.to_owned()));
    }
    for (action, inputs) in [
        ("move_price", json!({"pair": "USDT_BTC"})),
        ("move_price", json!({"pair": "USDT_BTC", "price": "1", "jump": true})),
        ("move_price", json!({"pair": "USDT_BTC", "price": 1.5})),
        ("reset", json!({"hard": true})),
        ("advance", json!(["60"])),
    ] {
        let (status, message) = client.failed(action, inputs).await;
        assert_eq!((status, message.starts_with("the inputs can't be read: ")), (400, true), "{message}");
    }
    assert!(client.is_untouched().await && client.sandbox.pending_faults().is_empty());
}

#[tokio::test]
async fn candles_of_a_csv_file_are_played_and_the_clock_follows() {
    let client = TestClient::open(1).await;
    let candles =
        "time;open;high;low;close\n1735689600000;61000;61500;60000;60500\n1735693200000;60500;62000;60400;61900\n";
    assert_eq!(client.act("play_candles", &json!({"pair": "USDT_BTC", "candles": candles})).await.status, 200);
    let overview = client.overview().await;
    assert_eq!(overview["clock"]["now"], "2025-01-01T01:45:00.000Z");
    assert_eq!(client.rows("prices").await.iter().find(|row| row["pair"] == "USDT_BTC").unwrap()["price"], "61900");
    for (inputs, expected) in [
        (json!({"pair": "USDT_BTC", "candles": "x"}), "candles: "),
        (json!({"pair": "USDT_BTC", "candles": "time,open,high,low,close\n0,\"1,5\",2,1,2\n"}), "candles: "),
        (json!({"pair": "BTC-USDT", "candles": candles}), "pair: "),
    ] {
        let (status, message) = client.failed("play_candles", inputs).await;
        assert_eq!(status, 400);
        assert!(message.starts_with(expected), "{message}");
    }
}

#[tokio::test]
async fn a_separator_or_a_line_break_in_quotes_belongs_to_its_value() {
    let client = TestClient::open(1).await;
    let candles = "time,open,high,low,close,note\n1735689600000,61000,61500,60000,60500,\"a;b, \"\"c\"\"\nd\"\n";
    let response = client.act("play_candles", &json!({"pair": "USDT_BTC", "candles": candles})).await;
    assert_eq!(response.status, 200, "{}", response.body);
}

#[tokio::test]
async fn the_calendar_has_the_profits_of_whole_weeks_until_today() {
    let client = TestClient::open(1).await;
    let overview = client.overview().await;
    let days = overview["calendar"].as_array().unwrap();
    let today = days.last().unwrap()["day"].as_str().unwrap();
    assert!(overview["clock"]["now"].as_str().unwrap().starts_with(&format!("{today}T")), "{today}");
    assert!((29..=35).contains(&days.len()), "{days:?}");
    let number = |text: &Value| text.as_str().unwrap().parse::<f64>();
    let shown: f64 = days.iter().filter_map(|day| number(&day["profit"]).ok()).sum();
    let first = days[0]["day"].as_str().unwrap();
    let mut expected = 0.0;
    for bot in client.rows("dca_bots").await {
        let id = bot["id"].as_str().unwrap().parse().unwrap();
        for deal in client.sandbox.finished_deals(id).unwrap() {
            let deal: Value = serde_json::from_str(&deal).unwrap();
            if deal["closed_at"].as_str().unwrap() >= first && deal["status"] != "cancelled" {
                expected += number(&deal["usd_final_profit"]).unwrap();
            }
        }
    }
    assert!(expected != 0.0 && (shown - expected).abs() < 1e-6, "{shown} {expected}");
}

#[tokio::test]
async fn heads_are_in_words() {
    let overview = TestClient::open(1).await.overview().await;
    let bots = overview["tables"].as_array().unwrap().iter().find(|one| one["name"] == "dca_bots").unwrap();
    let columns = bots["columns"].as_array().unwrap().iter().zip(bots["heads"].as_array().unwrap());
    let head = columns.clone().find(|(column, _)| *column == "finished_deals_profit_usd").unwrap().1;
    assert_eq!(head, "finished deals profit USD");
}

#[tokio::test]
async fn each_kind_of_fault_says_what_it_does_in_a_line() {
    let overview = TestClient::open(1).await.overview().await;
    for kind in overview["fault_kinds"].as_array().unwrap() {
        let about = kind["about"].as_str().unwrap();
        assert!((10..70).contains(&about.len()), "{kind}");
    }
}
