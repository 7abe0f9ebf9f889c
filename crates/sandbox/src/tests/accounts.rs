//! Exchange accounts: adding, renaming, balances, networks, deposits and leverage.

use serde_json::{Map, json};

use super::*;
use botdesk_api::accounts::NetworkInfo;
use botdesk_api::accounts::{Account, AccountAdd, DepositData, LeverageType};
use botdesk_schema::input::Rule;
use botdesk_schema::record::Record;

/// The accounts that have networks.
const WITH_NETWORKS: [u64; 4] = [101, 102, 103, 1_001];

fn new_account(changes: Value) -> String {
    let account = json!({
        "type": "demo_spot",
        "name": "Fresh",
        "api_key": "a-fresh-key",
        "secret": "a-fresh-secret",
        "types_to_create": [],
    });
    let mut members: Map<String, Value> = serde_json::from_value(account).unwrap();
    members.extend(serde_json::from_value::<Map<_, _>>(changes).unwrap());
    Value::Object(members).to_string()
}

impl TestClient {
    async fn add_account(&self, changes: Value) -> Response {
        self.request("POST", "/ver1/accounts/new", &new_account(changes)).await
    }

    async fn rename(&self, id: u64, name: &str) -> Response {
        self.request("POST", &format!("/ver1/accounts/{id}/rename?name={name}"), "").await
    }

    async fn load(&self, id: u64) -> Response {
        self.request("POST", &format!("/ver1/accounts/{id}/load_balances"), "").await
    }

    async fn networks(&self, query: &str) -> Vec<Value> {
        let response = self.get(&format!("/ver1/accounts/1001/networks_info{query}")).await;
        assert_eq!(response.status, 200, "{}", response.body);
        response.body.as_array().unwrap().clone()
    }

    async fn deposit(&self, id: u64, query: &str) -> Response {
        self.get(&format!("/ver1/accounts/{id}/deposit_data?{query}")).await
    }

    async fn leverage(&self, id: u64, query: &str) -> Response {
        self.get(&format!("/ver1/accounts/{id}/leverage_data{query}")).await
    }
}

fn reads<R: Record>(value: &Value) {
    let record = R::from_json(&value.to_string()).unwrap();
    assert_eq!(record.unreadable(), []);
    assert_eq!(record.fields().present().count(), R::ROWS.len());
    assert_eq!(record.fields().extra().count(), 0);
}

#[tokio::test]
async fn a_new_account_has_the_given_fields_and_the_next_id() {
    let client = TestClient::open(0).await;
    let response = client.add_account(json!({})).await;
    assert_eq!(response.status, 200, "{}", response.body);
    reads::<Account>(&response.body);
    let value = |field: &str| response.body[field].clone();
    assert_eq!((value("id"), value("name"), value("api_key")), (1_003.into(), "Fresh".into(), "a-fresh-key".into()));
    assert_eq!((value("market_code"), value("exchange_name")), ("demo_spot".into(), "Demo Exchange Spot".into()));
    assert_eq!((value("supported_market_types"), value("usd_amount")), (json!(["spot"]), "0.0".into()));
    assert_eq!((value("api_keys_state"), value("created_at")), ("ok".into(), value("updated_at")));
    assert!(!response.body.to_string().contains("a-fresh-secret"));
    assert_ne!(client.load(1_003).await.body["usd_amount"], "0.0");
    assert_eq!(client.add_account(json!({"api_key": "another", "type": "elsewhere"})).await.body["id"], 1_004);
}

#[tokio::test]
async fn related_types_are_also_connected() {
    let client = TestClient::open(0).await;
    let response = client.add_account(json!({"types_to_create": ["demo_futures"]})).await;
    assert_eq!((&response.body["id"], &response.body["market_code"]), (&1_003.into(), &"demo_spot".into()));
    let related = client.load(1_004).await.body;
    assert_eq!((&related["market_code"], &related["api_key"]), (&"demo_futures".into(), &"a-fresh-key".into()));
}

#[tokio::test]
async fn an_api_key_can_be_connected_only_once() {
    let client = TestClient::open(0).await;
    assert_eq!(client.add_account(json!({})).await.status, 200);
    let again = client.add_account(json!({"name": "Again"})).await;
    assert_eq!(again.messages("api_key"), ["This account is already connected"]);
    assert_eq!(client.load(1_004).await.status, 404);
    let current = client.load(1_001).await.body["api_key"].clone();
    assert_eq!(client.add_account(json!({"api_key": current})).await.messages("api_key").len(), 1);
}

#[tokio::test]
async fn missing_inputs_of_a_new_account_are_reported_by_name() {
    let client = TestClient::open(0).await;
    let response = client.request("POST", "/ver1/accounts/new", "{}").await;
    for row in AccountAdd::INPUTS.rows {
        let required = row.rules.iter().any(|rule| matches!(rule, Rule::Required));
        let expected: &[&str] = if required { &["is required"] } else { &[] };
        assert_eq!(response.messages(row.wire), expected, "{}", row.wire);
    }
    for (kind, field, message) in [
        ("ethereumwallet", "address", "is required when type is ethereumwallet"),
        ("quay_spot", "customer_id", "is required"),
        ("pier_spot", "passphrase", "is required"),
    ] {
        assert_eq!(client.add_account(json!({"type": kind})).await.messages(field), [message]);
        assert_eq!(client.add_account(json!({"type": kind, field: ""})).await.messages(field), [message]);
        let response = client.add_account(json!({"type": kind, field: "given", "api_key": kind})).await;
        assert_eq!(response.status, 200, "{}", response.body);
    }
    assert_eq!(client.request("POST", "/ver1/accounts/new", "[]").await.messages("base").len(), 1);
    assert_eq!(client.add_account(json!({"types_to_create": "margin"})).await.messages("types_to_create").len(), 1);
}

#[tokio::test]
async fn an_account_is_renamed_in_all_records() {
    let client = TestClient::open(3).await;
    let before = client.load(1_001).await.body;
    let response = client.rename(1_001, "Fr%C3%BCh+%26%20sp%C3%A4t").await;
    assert_eq!((response.status, &response.body["name"]), (201, &"Früh & spät".into()));
    assert!(response.body["updated_at"].as_str() > before["updated_at"].as_str());
    let bot = client.show(41).await;
    assert_eq!(bot["account_name"], "Früh & spät");
    assert_eq!(bot["active_deals"][0]["account_name"], "Früh & spät");
    assert_eq!(client.request("POST", "/ver1/grid_bots/201/enable", "").await.body["account_name"], "Früh & spät");
    assert_eq!(client.request("POST", "/ver1/grid_bots/204/enable", "").await.body["account_name"], "Demo futures");
}

#[tokio::test]
async fn a_name_is_required_in_the_query_a_form_or_json() {
    let client = TestClient::open(0).await;
    for target in ["/ver1/accounts/1001/rename", "/ver1/accounts/1001/rename?name="] {
        assert_eq!(client.request("POST", target, "").await.messages("name"), ["is required"]);
    }
    for encoding in ALL_ENCODINGS {
        let response =
            client.send_values(encoding, "POST", "/ver1/accounts/1001/rename", &[("name", "Früh & spät+1")]).await;
        assert_eq!(
            (response.status, &response.body["name"]),
            (201, &"Früh & spät+1".into()),
            "{encoding:?}: {}",
            response.body
        );
        let response = client.send_values(encoding, "POST", "/ver1/accounts/1001/rename", &[]).await;
        assert_eq!(response.messages("name"), ["is required"], "{encoding:?}");
    }
}

#[tokio::test]
async fn a_value_in_the_body_replaces_one_in_the_query() {
    let client = TestClient::open(0).await;
    let response = client.request("POST", "/ver1/accounts/1001/rename?name=Query", r#"{"name":"Body"}"#).await;
    assert_eq!(response.body["name"], "Body");
}

#[tokio::test]
async fn parameters_that_are_not_utf_8_are_rejected() {
    let client = TestClient::open(0).await;
    let response = client.request("POST", "/ver1/accounts/1001/rename?name=%FF", "").await;
    assert_eq!(response.messages("name"), ["must be percent-encoded UTF-8"]);
}

#[tokio::test]
async fn balances_are_loaded_if_the_exchange_accepts_the_key() {
    let client = TestClient::open(0).await;
    for id in [102, 103, 104, 1_001, 1_002] {
        let response = client.load(id).await;
        assert_eq!((response.status, &response.body["id"]), (201, &id.into()));
        reads::<Account>(&response.body);
        let again = client.load(id).await;
        assert_eq!(again.body["usd_amount"], response.body["usd_amount"]);
        assert!(again.body["updated_at"].as_str() > response.body["updated_at"].as_str());
    }
    let response = client.load(101).await;
    assert_eq!((response.status, &response.body["error"]), (422, &"invalid_api_key".into()));
    assert!(response.body["error_description"].is_string());
}

#[tokio::test]
async fn balances_are_valued_at_the_prices_of_the_market() {
    let client = TestClient::open(0).await;
    let mut values = Vec::new();
    for price in ["60000", "70000"] {
        client.sandbox.set_price("USDT_BTC", price.parse().unwrap()).unwrap();
        let account = client.load(102).await.body;
        let number = |field: &str| account[field].as_str().unwrap().parse::<f64>().unwrap();
        assert!((number("btc_amount") * price.parse::<f64>().unwrap() - number("usd_amount")).abs() < 0.01);
        values.push(number("usd_amount"));
    }
    let deposit = client.deposit(102, "currency=BTC&network=BTC").await.body;
    let held: f64 = deposit["total_balance"].as_str().unwrap().parse().unwrap();
    assert!((values[1] - values[0] - held * 10_000.0).abs() < 0.02, "{values:?} {held}");
}

#[tokio::test]
async fn networks_are_listed_for_a_purpose() {
    let client = TestClient::open(0).await;
    let all = client.networks("").await;
    for currency in &all {
        reads::<NetworkInfo>(currency);
        let record = NetworkInfo::from_json(&currency.to_string()).unwrap();
        let networks = record.network_list().unwrap().unwrap();
        assert!(networks.iter().all(|network| network.unreadable().is_empty()));
        assert!(networks.iter().all(|network| network.fields().extra().count() == 0));
        assert_eq!(networks.iter().filter(|network| network.default() == Ok(Some(true))).count(), 1);
    }
    for (purpose, flag) in [("deposit", "deposit_enable"), ("withdraw", "withdraw_enable")] {
        let kept: Vec<_> = all.iter().filter(|currency| currency[flag] == true).cloned().collect();
        assert!(!kept.is_empty() && kept.len() < all.len());
        assert_eq!(client.networks(&format!("?purpose={purpose}")).await, kept);
    }
    let response = client.get("/ver1/accounts/1001/networks_info?purpose=1").await;
    assert_eq!(response.messages("purpose"), ["is not included in the list"]);
}

#[tokio::test]
async fn one_type_of_account_lists_one_network_at_a_time() {
    let client = TestClient::open(0).await;
    let id = client.add_account(json!({"type": "quay_regional"})).await.body["id"].as_u64().unwrap();
    let request = async |query: &str| client.get(&format!("/ver1/accounts/{id}/networks_info{query}")).await;
    for (query, missing) in [("", &["currency", "network"][..]), ("?currency=BTC", &["network"])] {
        let response = request(query).await;
        for field in ["currency", "network"] {
            let expected: &[&str] = if missing.contains(&field) { &["is required"] } else { &[] };
            assert_eq!(response.messages(field), expected, "{query}");
        }
    }
    let one = request("?currency=USDT&network=TRX").await.body;
    assert_eq!((&one[0]["currency"], &one[0]["network_list"][0]["network"]), (&"USDT".into(), &"TRX".into()));
    assert_eq!((one.as_array().unwrap().len(), one[0]["network_list"].as_array().unwrap().len()), (1, 1));
    assert_eq!(request("?currency=BTC&network=TRX").await.body, json!([]));
    assert_eq!(client.deposit(id, "currency=USDT&network=TRX").await.status, 200);
}

#[tokio::test]
async fn only_some_types_of_accounts_have_networks_and_deposits() {
    let client = TestClient::open(0).await;
    for query in ["networks_info", "deposit_data", "deposit_data?currency=BTC&network=BTC"] {
        for id in [104, 1_002] {
            let response = client.get(&format!("/ver1/accounts/{id}/{query}")).await;
            assert_eq!(response.body, json!({"error": "Forbidden. Unavailable for this account."}));
            assert_eq!(response.status, 403);
        }
    }
    for id in WITH_NETWORKS {
        assert_eq!(client.get(&format!("/ver1/accounts/{id}/networks_info")).await.status, 200);
    }
}

#[tokio::test]
async fn every_open_network_has_its_own_address() {
    let client = TestClient::open(0).await;
    let mut addresses = Vec::new();
    for id in WITH_NETWORKS {
        for currency in client.networks("").await {
            for network in currency["network_list"].as_array().unwrap() {
                let [code, name] = [&currency["currency"], &network["network"]].map(|text| text.as_str().unwrap());
                let response = client.deposit(id, &format!("currency={code}&network={name}")).await;
                assert_eq!(response.status == 200, network["deposit_enable"] == true, "{}", response.body);
                if response.status == 200 {
                    reads::<DepositData>(&response.body);
                    let needs_tag = network["require_address_tag"] == true;
                    assert_eq!(response.body["address_tag"] != "", needs_tag, "{}", response.body);
                    addresses.push(response.body["address"].as_str().unwrap().to_owned());
                }
            }
        }
    }
    let count = addresses.len();
    addresses.sort();
    addresses.dedup();
    assert_eq!((addresses.len(), count), (36, 36));
}

#[tokio::test]
async fn deposit_data_is_consistent_and_stable() {
    let client = TestClient::open(0).await;
    let response = client.deposit(1_001, "currency=USDT&network=TRX").await.body;
    let number = |field: &str| response[field].as_str().unwrap().parse::<bigdecimal::BigDecimal>().unwrap();
    assert_eq!(number("available_balance") + number("in_orders"), number("total_balance"));
    assert!(response["address"].as_str().unwrap().starts_with('T'));
    let again = TestClient::open(5).await.deposit(1_001, "network=TRX&currency=USDT").await.body;
    // The orders of more bots reserve more of the same balance.
    assert_eq!((&again["address"], &again["total_balance"]), (&response["address"], &response["total_balance"]));
}

#[tokio::test]
async fn deposit_data_requires_a_currency_and_a_network() {
    let client = TestClient::open(0).await;
    for (query, missing, there) in
        [("currency=BTC", "network", "currency"), ("network=BTC&currency=", "currency", "network")]
    {
        let response = client.deposit(1_001, query).await;
        assert_eq!(response.messages(missing), ["is required"]);
        assert_eq!(response.messages(there), [""; 0]);
    }
    let response = client.get("/ver1/accounts/1001/deposit_data").await;
    assert_eq!((response.messages("currency").len(), response.messages("network").len()), (1, 1));
}

#[tokio::test]
async fn the_exchange_explains_why_it_accepts_no_deposit() {
    let client = TestClient::open(0).await;
    for (query, words) in [
        ("currency=SOL&network=SOL", "Deposits of SOL over the network SOL are closed"),
        ("currency=BTC&network=TRX", "Network TRX is not supported for BTC"),
        ("currency=btc&network=BTC", "Currency btc is not supported"),
        ("currency=%F0%9F%98%80&network=BTC", "Currency \u{1f600} is not supported"),
    ] {
        let response = client.deposit(1_001, query).await;
        assert_eq!(response.body, json!({"error": "unknown_market_api_error", "error_description": words}));
        assert_eq!(response.status, 422);
    }
}

#[tokio::test]
async fn only_futures_accounts_have_leverage() {
    let client = TestClient::open(0).await;
    let codes = |response: &Response| {
        let kinds = response.body.as_array().unwrap().iter();
        kinds.map(|kind| kind["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for query in ["", "?page=1", "?page=1&pair=USDT_BTC"] {
        let response = client.leverage(1_002, query).await;
        assert_eq!((response.status, codes(&response)), (200, ["none", "cross", "isolated"].map(str::to_owned).into()));
        response.body.as_array().unwrap().iter().for_each(reads::<LeverageType>);
    }
    let response = client.leverage(1_002, "").await.body;
    assert_eq!((&response[0]["valid"], &response[1]["valid"]), (&json!({}), &json!({"min": "1", "max": "50"})));
    assert_eq!(response[2]["valid"], json!({"min": "1", "max": null}));
    assert_eq!(codes(&client.leverage(1_001, "").await), ["none"]);
    for page in ["2", "9223372036854775807"] {
        assert_eq!(client.leverage(1_002, &format!("?page={page}")).await.body, json!([]));
    }
    for page in ["0", "-1", "one", ""] {
        assert_eq!(client.leverage(1_002, &format!("?page={page}")).await.messages("page").len(), 1, "{page}");
    }
}

#[tokio::test]
async fn an_unknown_account_is_not_found() {
    let client = TestClient::open(0).await;
    for (method, what) in [
        ("POST", "rename?name=x"),
        ("POST", "rename"),
        ("POST", "load_balances"),
        ("GET", "networks_info"),
        ("GET", "deposit_data"),
        ("GET", "leverage_data"),
    ] {
        let response = client.request(method, &format!("/ver1/accounts/999/{what}"), "").await;
        assert_eq!((response.status, response.body), (404, json!({"error": "Not found"})), "{what}");
    }
}
