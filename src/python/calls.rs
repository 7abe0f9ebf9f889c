//! Calls whose answers remember the client that made them.

use std::sync::Arc;

use super::records::Acting;
use crate::client::error::Error;
use crate::client::request::{Call, Given};
use crate::client::send::Road;
use crate::service::endpoint::Endpoint;

/// A call that is answered with one record.
pub(super) async fn one<A: Acting>(road: Arc<Road>, call: Call) -> Result<A, Error> {
    let record = road.record(call).await?;
    Ok(A::made_by(road, record))
}

/// A call that changes what was given and leaves all else as the record holds it.
pub(super) async fn edit<A: Acting>(
    road: Arc<Road>,
    endpoint: &'static Endpoint,
    record: A::Core,
    given: Given,
) -> Result<A, Error> {
    let call = Call::edit(endpoint, &record, given)?;
    one(road, call).await
}
