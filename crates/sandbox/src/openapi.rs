//! The OpenAPI description of the sandbox, generated from the rows of the API reference.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::router;
use botdesk_api::reference;
use botdesk_schema::field::Schema;
use botdesk_schema::id::{IdSpec, IdType, SUMMARY};
use botdesk_schema::json_schema;
use botdesk_schema::json_schema::texts;
use botdesk_schema::operation::{Operation, PREFIX, Takes};
use botdesk_schema::permission::{Permission, Security};

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
    json_schema! {
        "openapi": "3.1.0",
        "info": json_schema! {
            "title": "botdesk sandbox",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The trading-automation API: accounts, DCA bots, grid bots and the reduce-funds query of SmartTrades.",
        },
        "servers": vec![json_schema! { "url": "/" }],
        "security": vec![Value::Object(SECURITY.iter().map(|(name, _)| ((*name).to_owned(), Value::Array(vec![]))).collect())],
        "paths": paths(),
        "components": json_schema! {
            "securitySchemes": security_schemes(),
            "schemas": schemas(),
            "responses": json_schema! { "Error": error_response() },
        },
    }
}

fn paths() -> Value {
    let mut paths = Map::new();
    for operation in router::operations() {
        let path = paths.entry(format!("{PREFIX}{}", operation.path)).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(methods) = path {
            methods.insert(operation.method.as_str().to_ascii_lowercase(), described(operation));
        }
    }
    Value::Object(paths)
}

fn described(operation: &'static Operation) -> Value {
    let permission = match operation.permission {
        Permission::None => "Requires no permission.".to_owned(),
        permission => format!("Requires the permission {}.", permission.as_str()),
    };
    let mut described = json_schema! {
        "operationId": operation.name,
        "tags": texts(&[operation.resource()]),
        "description": permission,
        "parameters": parameters(operation),
        "responses": responses(operation),
    };
    let Value::Object(members) = &mut described else { return described };
    if operation.security == Security::None {
        members.insert("security".to_owned(), Value::Array(Vec::new()));
    }
    if let Takes::Json(inputs) = operation.takes {
        let body = json_schema! { "required": true, "content": json(inputs.schema()) };
        members.insert("requestBody".to_owned(), body);
    }
    described
}

fn parameters(operation: &'static Operation) -> Vec<Value> {
    let ids = reference::resource(operation.resource()).into_iter().flat_map(|resource| resource.ids(operation));
    let identifiers = ids.map(|id| {
        json_schema! { "name": id.placeholder, "in": "path", "required": true, "schema": id_schema(id, operation.takes_summary) }
    });
    let query = match operation.takes {
        Takes::Query(inputs) => Some(inputs.parameters()),
        Takes::Nothing | Takes::Json(_) => None,
    };
    identifiers.chain(query.into_iter().flatten()).collect()
}

fn id_schema(id: IdSpec, takes_summary: bool) -> Value {
    let schema = match id.id_type {
        IdType::Integer => json_schema! { "type": "integer", "minimum": 1 },
        IdType::Uuid => json_schema! { "type": "string", "format": "uuid" },
    };
    if takes_summary {
        json_schema! { "anyOf": vec![schema, json_schema! { "const": SUMMARY }] }
    } else {
        schema
    }
}

fn responses(operation: &Operation) -> Value {
    let success = match operation.returns.schema {
        Schema::Nothing if operation.returns.one_of.is_empty() => json_schema! { "description": "Success." },
        _ => json_schema! { "description": "Success.", "content": json(operation.returns.to_json()) },
    };
    let mut statuses: BTreeSet<u16> = COMMON.into_iter().collect();
    if operation.security == Security::None {
        statuses.remove(&401);
    }
    if operation.permission == Permission::None {
        statuses.remove(&403);
    }
    statuses.extend(operation.refusals.iter().map(|refusal| refusal.status));
    statuses.extend(operation.has_id().then_some(404));
    statuses.extend(operation.inputs().map(|_| 400));
    let errors =
        statuses.iter().map(|status| (status.to_string(), json_schema! { "$ref": "#/components/responses/Error" }));
    let success = [(operation.success.to_string(), success)];
    Value::Object(success.into_iter().chain(errors).collect())
}

fn json(schema: Value) -> Value {
    json_schema! { "application/json": json_schema! { "schema": schema } }
}

fn security_schemes() -> Value {
    let schemes = SECURITY.map(|(name, about)| {
        (name.to_owned(), json_schema! { "type": "apiKey", "in": "header", "name": name, "description": about })
    });
    Value::Object(Map::from_iter(schemes))
}

/// Returns the schemas of the records. Only those that are a response of their own require all fields.
fn schemas() -> Value {
    let mut found = Vec::new();
    for operation in router::operations() {
        operation.returns.schema.records(&mut found);
    }
    let complete: BTreeSet<_> =
        router::operations().filter_map(|operation| operation.returns.schema.record()).map(|spec| spec.name).collect();
    let schemas =
        found.iter().map(|(name, rows)| ((*name).to_owned(), json_schema::record(rows, complete.contains(name))));
    Value::Object(schemas.chain([("Error".to_owned(), error())]).collect())
}

fn error_response() -> Value {
    json_schema! {
        "description": "The request was not executed.",
        "headers": json_schema! {
            "Retry-After": json_schema! {
                "description": "When to send the next request: seconds, or an HTTP date.",
                "schema": json_schema! { "type": "string" },
            },
        },
        "content": json(json_schema! { "$ref": "#/components/schemas/Error" }),
    }
}

fn error() -> Value {
    let messages = json_schema! { "type": "array", "items": json_schema! { "type": "string" } };
    json_schema! {
        "type": "object",
        "required": texts(&["error"]),
        "properties": json_schema! {
            "error": json_schema! { "type": "string", "description": "A code or a sentence." },
            "error_description": json_schema! { "type": "string" },
            "error_attributes": json_schema! {
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
        for operation in router::operations() {
            let path = format!("{PREFIX}{}", operation.path);
            let described = &document["paths"][path.as_str()][operation.method.as_str().to_ascii_lowercase()];
            assert_eq!(described["operationId"], operation.name);
            let content = &described["responses"][operation.success.to_string()]["content"]["application/json"];
            let is_empty = matches!(operation.returns.schema, Schema::Nothing);
            assert!(is_empty || content["schema"].is_object(), "{}", operation.name);
            let parameters = described["parameters"].as_array().unwrap().iter();
            let mut named: Vec<_> = parameters.map(|one| one["name"].as_str().unwrap()).collect();
            let body = &described["requestBody"]["content"]["application/json"]["schema"]["properties"];
            named.extend(body.as_object().into_iter().flatten().map(|(name, _)| name.as_str()));
            for row in operation.inputs().map_or(&[][..], |inputs| inputs.rows) {
                assert!(named.contains(&row.wire), "{}: {}", operation.name, row.wire);
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
