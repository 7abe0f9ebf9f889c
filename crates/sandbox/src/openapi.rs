//! The OpenAPI description of the sandbox, generated from the rows of the API reference.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::router;
use botdesk_api::endpoint::{Endpoint, EndpointInputs, IDENTIFIER, PREFIX};
use botdesk_api::row::Schema;
use botdesk_api::schema;
use botdesk_api::schema::texts;

/// The path of the description. It requires no API key.
pub(super) const PATH: &str = "/openapi.json";

/// The headers that carry the API key and the signature.
const SECURITY: [(&str, &str); 2] = [
    ("Apikey", "The API key."),
    (
        "Signature",
        "RSASSA-PKCS1-v1_5 with SHA-256, in Base64, over the path from /public/api on, followed by ? and the query string or \
         the form, or by the JSON body.",
    ),
];

/// The errors of every operation: authentication, permission, body size, IP ban and rate limit.
const COMMON: [u16; 5] = [401, 403, 413, 418, 429];

/// Returns the description.
pub(super) fn document() -> Value {
    schema! {
        "openapi": "3.1.0",
        "info": schema! {
            "title": "botdesk sandbox",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The trading-automation API: accounts, DCA bots, grid bots and the reduce-funds query of SmartTrades.",
        },
        "servers": vec![schema! { "url": "/" }],
        "security": vec![Value::Object(SECURITY.iter().map(|(name, _)| ((*name).to_owned(), Value::Array(vec![]))).collect())],
        "paths": paths(),
        "components": schema! {
            "securitySchemes": security_schemes(),
            "schemas": schemas(),
            "responses": schema! { "Error": error_response() },
        },
    }
}

fn paths() -> Value {
    let mut paths = Map::new();
    for endpoint in router::endpoints() {
        let path = paths.entry(format!("{PREFIX}{}", endpoint.path)).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(methods) = path {
            methods.insert(endpoint.method.as_str().to_ascii_lowercase(), operation(endpoint));
        }
    }
    Value::Object(paths)
}

fn operation(endpoint: &Endpoint) -> Value {
    let resource = endpoint.operation.split('.').next().unwrap_or_default();
    let permission = format!("Requires the permission {}.", endpoint.permission.as_str());
    let mut operation = schema! {
        "operationId": endpoint.operation,
        "tags": texts(&[resource]),
        "description": permission,
        "parameters": parameters(endpoint),
        "responses": responses(endpoint),
    };
    if let (Value::Object(operation), EndpointInputs::Json(inputs)) = (&mut operation, endpoint.takes) {
        let body = schema! { "required": true, "content": json(inputs.schema()) };
        operation.insert("requestBody".to_owned(), body);
    }
    operation
}

fn has_id(endpoint: &Endpoint) -> bool {
    endpoint.path.contains(IDENTIFIER)
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let identifier = has_id(endpoint).then(|| {
        let name = IDENTIFIER.trim_matches(['{', '}']);
        schema! { "name": name, "in": "path", "required": true, "schema": schema! { "type": "integer", "minimum": 1 } }
    });
    let query = match endpoint.takes {
        EndpointInputs::Query(inputs) => Some(inputs.parameters()),
        EndpointInputs::Nothing | EndpointInputs::Json(_) => None,
    };
    identifier.into_iter().chain(query.into_iter().flatten()).collect()
}

fn responses(endpoint: &Endpoint) -> Value {
    let success = schema! { "description": "Success.", "content": json(endpoint.response.to_json()) };
    let mut statuses: BTreeSet<u16> = COMMON.iter().chain(endpoint.errors).copied().collect();
    statuses.extend(has_id(endpoint).then_some(404));
    statuses.extend(endpoint.takes.inputs().map(|_| 400));
    let errors = statuses.iter().map(|status| (status.to_string(), schema! { "$ref": "#/components/responses/Error" }));
    let success = [(endpoint.success.to_string(), success)];
    Value::Object(success.into_iter().chain(errors).collect())
}

fn json(schema: Value) -> Value {
    schema! { "application/json": schema! { "schema": schema } }
}

fn security_schemes() -> Value {
    let schemes = SECURITY.map(|(name, about)| {
        (name.to_owned(), schema! { "type": "apiKey", "in": "header", "name": name, "description": about })
    });
    Value::Object(Map::from_iter(schemes))
}

/// Returns the schemas of the records. Only those that are a response of their own require all fields.
fn schemas() -> Value {
    let mut found = Vec::new();
    for endpoint in router::endpoints() {
        endpoint.response.records(&mut found);
    }
    let complete: BTreeSet<_> = router::endpoints().filter_map(|endpoint| response_record(endpoint.response)).collect();
    let schemas = found.iter().map(|(name, rows)| ((*name).to_owned(), schema::record(rows, complete.contains(name))));
    Value::Object(schemas.chain([("Error".to_owned(), error())]).collect())
}

/// Returns the record that a response is, or is a list of.
fn response_record(response: Schema) -> Option<&'static str> {
    match response {
        Schema::List(of) => response_record(*of),
        Schema::Record(spec) => Some(spec.name),
        _ => None,
    }
}

fn error_response() -> Value {
    schema! {
        "description": "The request was not executed.",
        "headers": schema! {
            "Retry-After": schema! {
                "description": "When to send the next request: seconds, or an HTTP date.",
                "schema": schema! { "type": "string" },
            },
        },
        "content": json(schema! { "$ref": "#/components/schemas/Error" }),
    }
}

fn error() -> Value {
    let messages = schema! { "type": "array", "items": schema! { "type": "string" } };
    schema! {
        "type": "object",
        "required": texts(&["error"]),
        "properties": schema! {
            "error": schema! { "type": "string", "description": "A code or a sentence." },
            "error_description": schema! { "type": "string" },
            "error_attributes": schema! {
                "type": "object",
                "description": "The messages for each field.",
                "additionalProperties": messages,
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_described_with_its_inputs() {
        let document = document();
        for endpoint in router::endpoints() {
            let path = format!("{PREFIX}{}", endpoint.path);
            let operation = &document["paths"][path.as_str()][endpoint.method.as_str().to_ascii_lowercase()];
            assert_eq!(operation["operationId"], endpoint.operation);
            let content = &operation["responses"][endpoint.success.to_string()]["content"]["application/json"];
            assert!(content["schema"].is_object(), "{}", endpoint.operation);
            let parameters = operation["parameters"].as_array().unwrap().iter();
            let mut named: Vec<_> = parameters.map(|one| one["name"].as_str().unwrap()).collect();
            let body = &operation["requestBody"]["content"]["application/json"]["schema"]["properties"];
            named.extend(body.as_object().into_iter().flatten().map(|(name, _)| name.as_str()));
            for row in endpoint.takes.inputs().map_or(&[][..], |inputs| inputs.rows) {
                assert!(named.contains(&row.wire), "{}: {}", endpoint.operation, row.wire);
            }
        }
    }

    #[test]
    fn the_rules_of_the_api_reference_are_described() {
        let document = document();
        let edit = &document["paths"]["/public/api/ver1/bots/{id}/update"]["patch"]["requestBody"]["content"];
        let edit = &edit["application/json"]["schema"];
        let property = |name: &str| edit["properties"][name].clone();
        assert_eq!(property("max_active_deals")["minimum"], 1);
        assert_eq!(property("max_active_deals")["maximum"], 199);
        assert_eq!(property("min_price_percentage")["exclusiveMinimum"], -95);
        assert_eq!(property("close_deals_timeout")["minimum"], 60);
        assert_eq!(property("take_profit_type")["enum"], texts(&["base", "total"]));
        assert!(edit["required"].as_array().unwrap().contains(&Value::from("strategy_list")));
        let when = serde_json::json!({
            "if": {"properties": {"trailing_enabled": {"const": true}}, "required": ["trailing_enabled"]},
            "then": {"required": ["trailing_deviation"]},
        });
        assert!(edit["allOf"].as_array().unwrap().contains(&when));
    }

    #[test]
    fn nullable_fields_are_described() {
        let bot = &document()["components"]["schemas"]["DcaBot"];
        assert_eq!(bot["properties"]["take_profit"]["type"], texts(&["string", "number", "null"]));
        assert_eq!(bot["properties"]["min_profit_type"]["enum"].as_array().unwrap().last(), Some(&Value::Null));
        assert!(bot["required"].as_array().unwrap().contains(&Value::from("deletable?")));
        assert!(!bot["required"].as_array().unwrap().contains(&Value::from("active_deals")));
    }

    #[test]
    fn references_resolve() {
        let document = document();
        let json = document.to_string();
        for part in json.split("\"$ref\":\"#").skip(1) {
            let pointer = part.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
    }
}
