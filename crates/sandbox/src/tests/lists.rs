//! Lists: filters, order and pages.

use super::*;

type Keeps = Box<dyn Fn(&Value) -> bool>;

#[tokio::test]
async fn a_list_has_the_newest_fifty_bots_first() {
    let client = TestClient::open(60).await;
    let bots = client.list("").await;
    assert_eq!(bots.len(), 50);
    assert_eq!(ids(&bots)[..3], [100, 99, 98]);
    assert!(bots.iter().all(|bot| bot.get("active_deals").is_none()));
}

#[tokio::test]
async fn pages_add_up_to_the_whole_list() {
    let client = TestClient::open(250).await;
    let mut seen = Vec::new();
    for offset in [0, 100, 200, 300] {
        seen.push(ids(&client.list(&format!("limit=100&offset={offset}&order_direction=ASC")).await));
    }
    assert_eq!(seen.iter().map(Vec::len).collect::<Vec<_>>(), [100, 100, 50, 0]);
    let seen = seen.concat();
    let distinct: std::collections::BTreeSet<_> = seen.iter().collect();
    assert_eq!((seen.len(), distinct.len(), seen[0]), (250, 250, 41));
}

#[tokio::test]
async fn each_filter_returns_exactly_the_matching_bots() {
    let client = TestClient::open(60).await;
    let all = client.list("limit=100").await;
    let is = |field: &'static str, value: Value| move |bot: &Value| bot[field] == value;
    let of_usdc =
        |bot: &Value| bot["pairs"].as_array().unwrap().iter().any(|pair| pair.as_str().unwrap().starts_with("USDC_"));
    let filters: [(&str, Keeps); 9] = [
        ("scope=enable", Box::new(is("is_enabled", true.into()))),
        ("scope=enabled", Box::new(is("is_enabled", true.into()))),
        ("scope=disabled", Box::new(is("is_enabled", false.into()))),
        ("scope=null", Box::new(|_| true)),
        ("strategy=long", Box::new(is("strategy", "long".into()))),
        ("strategy=short", Box::new(is("strategy", "short".into()))),
        ("account_id=1002", Box::new(is("account_id", 1002.into()))),
        ("quote=USDC", Box::new(of_usdc)),
        ("scope=disabled&strategy=short", Box::new(|bot| bot["is_enabled"] == false && bot["strategy"] == "short")),
    ];
    for (query, keeps) in filters {
        let expected: Vec<_> = all.iter().filter(|bot| keeps(bot)).cloned().collect();
        assert!(!expected.is_empty(), "{query} has nothing to keep");
        assert_eq!(ids(&client.list(&format!("limit=100&{query}")).await), ids(&expected), "{query}");
    }
    assert!(client.list("account_id=7").await.is_empty());
    assert!(client.list("quote=USD").await.is_empty());
}

#[tokio::test]
async fn from_returns_bots_created_after_it() {
    let client = TestClient::open(12).await;
    let bots = client.list("order_direction=ASC").await;
    let made = bots[5]["created_at"].as_str().unwrap();
    let seconds = made.parse::<jiff::Timestamp>().unwrap().as_second();
    let encoded = made.replace(':', "%3A");
    for (from, count) in [
        (seconds.to_string(), 7),
        ((seconds + 1).to_string(), 6),
        (made.to_owned(), 6),
        (encoded, 6),
        (made.trim_end_matches('Z').to_owned(), 6),
        (made.replace('Z', "%2B00:00"), 6),
        (made.replace('Z', "%2B01:00"), 7),
        ("0".to_owned(), 12),
        ("9223372036854775807".to_owned(), 0),
        ("-9223372036854775808".to_owned(), 12),
        ("2024-03-01".to_owned(), 12),
    ] {
        assert_eq!(client.list(&format!("from={from}")).await.len(), count, "{from}");
    }
}

#[tokio::test]
async fn lists_are_sorted_both_ways() {
    let client = TestClient::open(12).await;
    let profit = |bot: &Value| bot["finished_deals_profit_usd"].as_str().unwrap().parse::<f64>().unwrap();
    for field in ["created_at", "updated_at"] {
        let bots = client.list(&format!("sort_by={field}&order_direction=ASC")).await;
        assert!(bots.is_sorted_by_key(|bot| bot[field].as_str().unwrap().to_owned()), "{field}");
        let mut reversed = client.list(&format!("sort_by={field}")).await;
        reversed.reverse();
        assert_eq!(ids(&bots), ids(&reversed));
    }
    let bots = client.list("sort_by=profit&order_direction=[DESC]").await;
    assert!(bots.is_sorted_by(|left, right| profit(left) >= profit(right)));
    assert_ne!(ids(&bots), ids(&client.list("").await));
}

#[tokio::test]
async fn the_order_can_be_in_brackets() {
    let client = TestClient::open(3).await;
    for query in ["order_direction=[ASC]", "order_direction=%5BASC%5D"] {
        assert_eq!(ids(&client.list(query).await), [41, 42, 43]);
    }
}

#[tokio::test]
async fn a_value_that_breaks_a_rule_is_reported_by_name() {
    let client = TestClient::open(1).await;
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("limit=", "limit"),
        ("limit=1.5", "limit"),
        ("offset=-1", "offset"),
        ("from=yesterday", "from"),
        ("account_id=0", "account_id"),
        ("account_id=x%FF%00", "account_id"),
    ] {
        let response = client.get(&format!("/ver1/bots?{query}")).await;
        assert_eq!(response.messages(field).len(), 1, "{query}: {}", response.body);
    }
    for field in ["scope", "strategy", "sort_by", "order_direction"] {
        let response = client.get(&format!("/ver1/bots?{field}=other&limit=500")).await;
        assert_eq!(response.messages(field), ["is not included in the list"]);
        assert_eq!(response.messages("limit").len(), 1);
    }
    let response = client.get("/ver1/bots/41/show?include_events=perhaps").await;
    assert_eq!(response.messages("include_events").len(), 1);
}

#[tokio::test]
async fn the_last_of_several_values_is_used_and_unknown_names_are_ignored() {
    let client = TestClient::open(5).await;
    assert_eq!(client.list("limit=500&limit=2&&unknown=1&flag").await.len(), 2);
}

#[tokio::test]
async fn a_repeated_list_contains_changes() {
    let client = TestClient::open(3).await;
    let enabled = client.list("scope=enable").await;
    assert_eq!(ids(&enabled), ids(&client.list("scope=enable").await));
    let target = format!("/ver1/bots/{}/disable", ids(&enabled)[0]);
    assert_eq!(client.request("POST", &target, "").await.status, 201);
    assert_eq!(ids(&client.list("scope=enable").await), ids(&enabled)[1..]);
}

#[tokio::test]
async fn a_repeated_list_contains_added_bots() {
    let client = TestClient::open(1).await;
    assert_eq!(client.list("").await.len(), 1);
    client.sandbox.add("dca_bots", Vec::new()).unwrap();
    assert_eq!(client.list("").await.len(), 2);
}
