//! Requests that are recorded while the recorder is finished.

use std::time::Duration;

use jiff::Timestamp;
use shuttle::sync::Arc;
use shuttle::thread;

use crate::http::recorder::{RecordedExchange, RecordedResponse, Recorder};

/// The response to one request comes while the recorder is finished.
pub fn a_response_comes_at_the_end() {
    requests_are_recorded(1);
}

/// Two requests are sent, and their responses come, while the recorder is finished.
pub fn two_requests_are_recorded() {
    requests_are_recorded(2);
}

fn requests_are_recorded(requests: u16) {
    let recorder = Arc::new(Recorder::default());
    let record = |number| {
        let recorder = Arc::clone(&recorder);
        thread::spawn(move || record(&recorder, number))
    };
    let threads: Vec<_> = (0..requests).map(record).collect();
    let finished = recorder.finish();
    for thread in threads {
        thread.join().unwrap();
    }
    for exchange in &finished {
        let own = exchange.response.as_ref().is_none_or(|response| response.status.to_string() == exchange.url);
        assert!(own, "a request has the response to another one");
    }
    assert_eq!(recorder.finish(), finished, "an exchange was recorded after the end");
    assert_eq!(recorder.start(exchange(requests)), None);
}

/// Records a request, and a response whose status is the number of the request.
fn record(recorder: &Recorder, number: u16) {
    let Some(index) = recorder.start(exchange(number)) else { return };
    let response = RecordedResponse { status: number, version: String::new(), headers: Vec::new(), body: Vec::new() };
    recorder.end(index, Duration::ZERO, Some(response), None);
}

fn exchange(number: u16) -> RecordedExchange {
    RecordedExchange {
        started: Timestamp::UNIX_EPOCH,
        took: Duration::ZERO,
        method: "GET".to_owned(),
        url: number.to_string(),
        headers: Vec::new(),
        body: None,
        response: None,
        failure: None,
    }
}
