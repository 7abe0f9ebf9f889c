//! Records as tables: the rows of the API reference as Arrow columns, for any library that reads them.

mod decimals;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder, ListBuilder, StringBuilder, TimestampMicrosecondBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::{
    ArrayRef, BooleanArray, DurationMicrosecondArray, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
    TimestampMicrosecondArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};

pub use decimals::{Decimals, Issue, Issues};

use botdesk_schema::field::{ColumnType, FieldSpec};
use botdesk_schema::json::Json;
use botdesk_schema::record::Fields;
use botdesk_schema::secrets::redact_secrets;
use botdesk_schema::values::{
    Any, AnyValue, Bool, Decimal, DecimalText, FieldType, Integer, List, Text, Timestamp, UnixTime,
};

/// An issue of a field, and the records that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldIssue {
    /// The issue.
    pub issue: Issue,
    /// The name of the field.
    pub field: &'static str,
    /// The indices of the records.
    pub records: Vec<usize>,
}

/// A table, and the values that it does not hold exactly.
#[derive(Clone, Debug)]
pub struct ColumnTable {
    /// The columns.
    pub batch: RecordBatch,
    /// The issues, in the order of the columns.
    pub issues: Vec<FieldIssue>,
}

/// The name of the column with the undocumented fields.
const EXTRA: &str = "extra";

/// A column with its name and its issues.
type NamedColumn = (&'static str, ArrayRef, Issues);

impl ColumnTable {
    /// Builds the table of records that all have these fields.
    ///
    /// It has a column for each field that is not secret, and one for the undocumented fields. The columns and their types do
    /// not depend on the records, so that tables can be concatenated.
    pub fn of(rows: &'static [FieldSpec], records: &[&Fields], decimals: Decimals) -> Result<Self, ArrowError> {
        let mut columns = Vec::new();
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| !row.secret) {
            let (array, issues) = column(index, row.column, records, decimals);
            columns.push((row.name, array, issues));
        }
        if !rows.is_empty() {
            columns.push((EXTRA, extra(records), Issues::new()));
        }
        Self::from_columns(columns, records.len())
    }

    /// Builds the table of calculated values, column by column.
    pub fn calculated(columns: Vec<(&'static str, Calculated)>, decimals: Decimals) -> Result<Self, ArrowError> {
        let height = columns.first().map_or(0, |(_, column)| column.len());
        let named = columns.into_iter().map(|(name, column)| {
            let (array, issues) = column.array(decimals);
            (name, array, issues)
        });
        Self::from_columns(named.collect(), height)
    }

    fn from_columns(columns: Vec<NamedColumn>, height: usize) -> Result<Self, ArrowError> {
        let fields: Vec<Field> = columns.iter().map(field).collect();
        let mut arrays = Vec::new();
        let mut found = Vec::new();
        for (name, array, issues) in columns {
            arrays.push(array);
            found.extend(issues.into_iter().map(|(issue, records)| FieldIssue { issue, field: name, records }));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(height));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)?;
        Ok(Self { batch, issues: found })
    }
}

/// Returns a table in which lists of strings are JSON, for formats that have no lists, such as CSV.
pub fn with_json_lists(table: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = table.schema();
    let columns = schema.fields().iter().zip(table.columns()).map(|(field, column)| {
        let Some(lists) = column.as_list_opt::<i32>() else { return (Arc::clone(field), Arc::clone(column)) };
        let texts: StringArray = lists.iter().map(|list| list.map(|list| json_list(&list))).collect();
        let field = field.as_ref().clone().with_data_type(DataType::Utf8);
        (Arc::new(field), Arc::new(texts) as ArrayRef)
    });
    let (fields, columns): (Vec<_>, Vec<_>) = columns.unzip();
    let options = RecordBatchOptions::new().with_row_count(Some(table.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
}

fn json_list(list: &ArrayRef) -> String {
    let texts: Vec<_> = list.as_string_opt::<i32>().into_iter().flatten().collect();
    serde_json::json!(texts).to_string()
}

/// The maximum number of records that the metadata of a column lists for an issue.
const MAX_LISTED: usize = 10;

/// Describes a column. Its metadata lists the first records with each issue, and counts all of them:
/// `{"botdesk.rounded": "[0, 2]", "botdesk.rounded.count": "2"}`.
fn field((name, array, issues): &NamedColumn) -> Field {
    let metadata: HashMap<_, _> = issues
        .iter()
        .flat_map(|(issue, records)| {
            let name = format!("botdesk.{}", issue.name());
            let listed: Vec<String> = records.iter().take(MAX_LISTED).map(usize::to_string).collect();
            [(format!("{name}.count"), records.len().to_string()), (name, format!("[{}]", listed.join(", ")))]
        })
        .collect();
    Field::new(*name, array.data_type().clone(), true).with_metadata(metadata)
}

/// A column of calculated values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calculated {
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// Booleans.
    Booleans(Vec<Option<bool>>),
    /// Decimals, as strings.
    Decimals(Vec<Option<String>>),
    /// Strings.
    Texts(Vec<Option<Cow<'static, str>>>),
    /// Times in UTC, in milliseconds since 1970.
    Times(Vec<Option<i64>>),
    /// Durations in milliseconds.
    Durations(Vec<Option<i64>>),
}

impl Calculated {
    fn len(&self) -> usize {
        match self {
            Self::Integers(values) | Self::Times(values) | Self::Durations(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Decimals(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    fn array(self, decimals: Decimals) -> (ArrayRef, Issues) {
        match self {
            Self::Integers(values) => (Arc::new(Int64Array::from(values)), Issues::new()),
            Self::Booleans(values) => (Arc::new(BooleanArray::from(values)), Issues::new()),
            Self::Texts(values) => (Arc::new(values.into_iter().collect::<StringArray>()), Issues::new()),
            Self::Times(values) => {
                let times: TimestampMicrosecondArray = microseconds(values).collect();
                (Arc::new(times.with_timezone("UTC")), Issues::new())
            }
            Self::Durations(values) => {
                (Arc::new(microseconds(values).collect::<DurationMicrosecondArray>()), Issues::new())
            }
            Self::Decimals(values) => decimals::column(values.into_iter(), decimals),
        }
    }
}

fn microseconds(milliseconds: Vec<Option<i64>>) -> impl Iterator<Item = Option<i64>> {
    milliseconds.into_iter().map(|time| time?.checked_mul(1_000))
}

/// Builds the column of one field, with its issues.
fn column(index: usize, column: ColumnType, records: &[&Fields], decimals: Decimals) -> (ArrayRef, Issues) {
    let mut cells = Cells { index, records, unreadable: Vec::new() };
    let array: ArrayRef = match column {
        ColumnType::Integer => {
            let mut builder = Int64Builder::with_capacity(records.len());
            cells.each(Integer::read, |value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        ColumnType::Bool => {
            let mut builder = BooleanBuilder::with_capacity(records.len());
            cells.each(Bool::read, |value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        ColumnType::Timestamp | ColumnType::UnixTime => {
            let read = if column == ColumnType::UnixTime { UnixTime::read } else { Timestamp::read };
            let mut builder = TimestampMicrosecondBuilder::with_capacity(records.len()).with_timezone("UTC");
            cells.each(read, |value| {
                builder.append_option(value.and_then(|read| read.microseconds()));
            });
            Arc::new(builder.finish())
        }
        ColumnType::Texts => {
            let mut builder = ListBuilder::new(StringBuilder::new());
            cells.each(List::<Text>::read, |value| {
                builder.append_option(value.map(|texts| texts.into_iter().map(Some)));
            });
            Arc::new(builder.finish())
        }
        ColumnType::Decimal => return cells.decimals(decimals),
        ColumnType::DecimalOrJson if decimals != Decimals::Text => return cells.decimals(decimals),
        ColumnType::Text => cells.texts(|json| Text::read(json).map(std::borrow::Cow::into_owned)),
        ColumnType::Any | ColumnType::DecimalOrJson => cells.texts(|json| match Any::read(json)? {
            AnyValue::Decimal(amount) => Some(amount.as_str().to_owned()),
            AnyValue::Json(json) => Some(redact_secrets(json.text())),
        }),
        ColumnType::Json => cells.texts(|json| Some(redact_secrets(json.text()))),
    };
    (array, cells.issues(Issues::new()))
}

/// The values of one field in all records.
struct Cells<'a> {
    index: usize,
    records: &'a [&'a Fields],
    unreadable: Vec<usize>,
}

impl<'a> Cells<'a> {
    /// Calls `take` with each value: None if it is absent, null, or not readable.
    fn each<T>(&mut self, read: impl Fn(Json<'a>) -> Option<T>, mut take: impl FnMut(Option<T>)) {
        for (place, record) in self.records.iter().enumerate() {
            let json = record.get(self.index).filter(|json| !json.is_null());
            let value = json.and_then(&read);
            if record.is_malformed() || (json.is_some() && value.is_none()) {
                self.unreadable.push(place);
            }
            take(value);
        }
    }

    fn texts(&mut self, read: impl Fn(Json<'a>) -> Option<String>) -> ArrayRef {
        let mut builder = StringBuilder::new();
        self.each(read, |value| builder.append_option(value));
        Arc::new(builder.finish())
    }

    fn decimals(mut self, decimals: Decimals) -> (ArrayRef, Issues) {
        let mut values: Vec<Option<DecimalText<'a>>> = Vec::with_capacity(self.records.len());
        self.each(Decimal::read, |value| values.push(value));
        let (array, issues) = decimals::column(values.into_iter(), decimals);
        (array, self.issues(issues))
    }

    /// Adds the records that could not be read to the issues.
    fn issues(self, mut issues: Issues) -> Issues {
        if !self.unreadable.is_empty() {
            issues.insert(Issue::FieldError, self.unreadable);
        }
        issues
    }
}

/// Returns the undocumented fields of each record, as a JSON object; null if there are none.
fn extra(records: &[&Fields]) -> ArrayRef {
    let mut builder = StringBuilder::new();
    for record in records {
        let members: Vec<String> = record.extra().map(|(key, value)| member(&key, value)).collect();
        let object = (!members.is_empty()).then(|| redact_secrets(&format!("{{{}}}", members.join(","))));
        builder.append_option(object);
    }
    Arc::new(builder.finish())
}

fn member(key: &str, value: Json<'_>) -> String {
    format!("{}:{}", serde_json::Value::from(key), value.text())
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Decimal128Type, Float64Type, Int64Type, TimestampMicrosecondType};
    use arrow_array::{Array, RecordBatch};
    use arrow_schema::TimeUnit;

    use super::*;
    use botdesk_api::dca_bots::DcaBot;
    use botdesk_schema::record::Record;

    /// The type of a column, as Arrow names it.
    fn data_type(column: ColumnType, decimals: Decimals) -> DataType {
        match (column, decimals) {
            (ColumnType::Integer, _) => DataType::Int64,
            (ColumnType::Bool, _) => DataType::Boolean,
            (ColumnType::Timestamp, _) => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            (ColumnType::Decimal | ColumnType::DecimalOrJson, Decimals::Float) => DataType::Float64,
            (ColumnType::Decimal | ColumnType::DecimalOrJson, Decimals::Decimal) => DataType::Decimal128(38, 18),
            (ColumnType::Texts, _) => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
            _ => DataType::Utf8,
        }
    }

    fn bots(text: &str) -> Vec<DcaBot> {
        DcaBot::list_from_json(text).unwrap()
    }

    fn table(bots: &[DcaBot], decimals: Decimals) -> ColumnTable {
        let fields: Vec<_> = bots.iter().map(Record::fields).collect();
        ColumnTable::of(DcaBot::ROWS, &fields, decimals).unwrap()
    }

    fn batch(text: &str) -> RecordBatch {
        table(&bots(text), Decimals::Text).batch
    }

    fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
        batch.column_by_name(name).unwrap().as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
    }

    fn units(batch: &RecordBatch, name: &str) -> Vec<Option<i128>> {
        batch.column_by_name(name).unwrap().as_primitive::<Decimal128Type>().iter().collect()
    }

    #[test]
    fn every_field_without_secrets_is_a_column_of_its_type() {
        for decimals in Decimals::ALL {
            let batch = table(&[], decimals).batch;
            let schema = batch.schema();
            let rows: Vec<_> = DcaBot::ROWS.iter().filter(|row| row.name != "url_secret").collect();
            assert_eq!(schema.fields().len(), rows.len() + 1);
            for (row, field) in rows.iter().zip(schema.fields()) {
                assert_eq!((row.name, &data_type(row.column, decimals)), (field.name().as_str(), field.data_type()));
            }
            assert_eq!(schema.field(rows.len()).name(), "extra");
        }
    }

    #[test]
    fn columns_have_the_values_of_the_attributes() {
        let batch = batch(
            r#"[{"id": 2376446537, "is_enabled": true, "name": "Früh", "pairs": ["USDT_ETH"], "take_profit": "1.50",
                "created_at": "2024-02-29T12:30:00.125Z", "deletable?": "false"}]"#,
        );
        let column = |name: &str| batch.column_by_name(name).unwrap();
        assert_eq!(column("id").as_primitive::<Int64Type>().value(0), 2_376_446_537);
        assert!(column("is_enabled").as_boolean().value(0) && !column("deletable").as_boolean().value(0));
        assert_eq!(texts(&batch, "name"), [Some("Früh".to_owned())]);
        assert_eq!(texts(&batch, "take_profit"), [Some("1.50".to_owned())]);
        assert_eq!(column("pairs").as_list::<i32>().value(0).as_string::<i32>().value(0), "USDT_ETH");
        let created = column("created_at").as_primitive::<TimestampMicrosecondType>().value(0);
        assert_eq!(created, 1_709_209_800_125_000);
    }

    #[test]
    fn calculated_values_become_decimals_text_or_floats() {
        let calculated = |decimals| {
            let prices = vec![Some("0.10".to_owned()), None];
            let columns =
                vec![("number", Calculated::Integers(vec![Some(0), Some(1)])), ("price", Calculated::Decimals(prices))];
            ColumnTable::calculated(columns, decimals).unwrap().batch
        };
        let exact = calculated(Decimals::Decimal);
        assert_eq!(units(&exact, "price"), [Some(100_000_000_000_000_000), None]);
        assert_eq!(texts(&calculated(Decimals::Text), "price"), [Some("0.10".to_owned()), None]);
        let floats = calculated(Decimals::Float);
        let price = floats.column_by_name("price").unwrap().as_primitive::<Float64Type>();
        assert_eq!(price.iter().collect::<Vec<_>>(), [Some(0.1), None]);
        assert_eq!(floats.column_by_name("number").unwrap().as_primitive::<Int64Type>().value(1), 1);
    }

    #[test]
    fn rounded_calculated_values_are_reported() {
        let third = vec![Some("0.1".to_owned()), Some("0.3333333333333333333333333".to_owned())];
        let table = ColumnTable::calculated(vec![("price", Calculated::Decimals(third))], Decimals::Decimal).unwrap();
        assert_eq!(table.issues, [FieldIssue { issue: Issue::Rounded, field: "price", records: vec![1] }]);
    }

    #[test]
    fn absent_and_null_fields_are_null() {
        let batch = batch(r#"[{}, {"take_profit": null, "active_deals": null}]"#);
        assert_eq!(batch.num_rows(), 2);
        assert!(batch.columns().iter().all(|column| column.null_count() == 2));
    }

    #[test]
    fn an_unreadable_field_is_null_and_reported() {
        let bots = bots(r#"[{"id": 1, "max_active_deals": "many"}, 5, {"id": 3, "max_active_deals": 3}]"#);
        let table = table(&bots, Decimals::Decimal);
        assert!(table.issues.iter().all(|issue| issue.issue == Issue::FieldError));
        let issue = table.issues.iter().find(|issue| issue.field == "max_active_deals").unwrap();
        assert_eq!(issue.records, [0, 1]);
        assert_eq!(table.issues.iter().find(|issue| issue.field == "id").unwrap().records, [1]);
        let column = table.batch.column_by_name("max_active_deals").unwrap().as_primitive::<Int64Type>();
        assert_eq!(column.iter().collect::<Vec<_>>(), [None, None, Some(3)]);
        let schema = table.batch.schema();
        let field = schema.field_with_name("max_active_deals").unwrap();
        assert_eq!(field.metadata().get("botdesk.unreadable").unwrap(), "[0, 1]");
    }

    #[test]
    fn a_decimal_too_large_for_its_column_is_reported_in_the_metadata() {
        let bots = bots(
            r#"[{"take_profit": "1.5", "max_price": 2.5}, {"take_profit": "Infinity", "max_price": {}},
                {"take_profit": "0.1234567890123456785"}, {"take_profit": "1e400"}]"#,
        );
        let table = table(&bots, Decimals::Decimal);
        let taken = units(&table.batch, "take_profit");
        assert_eq!(taken, [Some(1_500_000_000_000_000_000), None, Some(123_456_789_012_345_678), None]);
        assert_eq!(units(&table.batch, "max_price"), [Some(2_500_000_000_000_000_000), None, None, None]);
        let schema = table.batch.schema();
        let metadata = |name: &str| schema.field_with_name(name).unwrap().metadata().clone();
        let one = |issue: &str, place: &str| {
            [(format!("botdesk.{issue}"), format!("[{place}]")), (format!("botdesk.{issue}.count"), "1".to_owned())]
        };
        let expected = [one("rounded", "2"), one("not_finite", "1"), one("too_large", "3")];
        assert_eq!(metadata("take_profit"), expected.into_iter().flatten().collect::<HashMap<_, _>>());
        assert_eq!(metadata("max_price"), HashMap::from(one("unreadable", "1")));
        assert!(metadata("id").is_empty());
    }

    #[test]
    fn the_metadata_of_a_column_lists_the_first_records_with_an_issue_and_counts_all() {
        let prices = vec![Some("0.3333333333333333333333333".to_owned()); 10_000];
        let table = ColumnTable::calculated(vec![("price", Calculated::Decimals(prices))], Decimals::Decimal).unwrap();
        let schema = table.batch.schema();
        let metadata = schema.field(0).metadata();
        assert_eq!(metadata["botdesk.rounded"], "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
        assert_eq!(metadata["botdesk.rounded.count"], "10000");
        assert_eq!(table.issues[0].records.len(), 10_000);
    }

    #[test]
    fn a_price_of_any_type_is_unchanged_as_a_string() {
        let batch = batch(r#"[{"max_price": 12.50}, {"max_price": {"url_secret": "topsecret1", "at": 1}}]"#);
        let json = r#"{"url_secret": "<hidden>", "at": 1}"#;
        assert_eq!(texts(&batch, "max_price"), [Some("12.50".to_owned()), Some(json.to_owned())]);
    }

    #[test]
    fn decimals_become_floats_on_request() {
        let bots = bots(r#"[{"take_profit": "1.5"}, {"take_profit": "Infinity"}, {"take_profit": 2e-3}]"#);
        let batch = table(&bots, Decimals::Float).batch;
        let column = batch.column_by_name("take_profit").unwrap().as_primitive::<Float64Type>();
        assert_eq!(column.iter().collect::<Vec<_>>(), [Some(1.5), Some(f64::INFINITY), Some(0.002)]);
    }

    #[test]
    fn undocumented_fields_have_their_own_column() {
        let batch = batch(r#"[{"mode": "long", "a\"b": [1.50]}, {"id": 1}]"#);
        assert_eq!(texts(&batch, "extra"), [Some(r#"{"mode":"long","a\"b":[1.50]}"#.to_owned()), None]);
    }

    #[test]
    fn no_column_contains_a_secret() {
        let batch = batch(
            r#"[{"url_secret": "topsecret1", "active_deals": [{"id": 5, "url_secret": "topsecret2"}],
                "old": {"url_secret": "topsecret3"}}]"#,
        );
        assert_eq!(texts(&batch, "active_deals"), [Some(r#"[{"id": 5, "url_secret": "<hidden>"}]"#.to_owned())]);
        assert_eq!(texts(&batch, "extra"), [Some(r#"{"old":{"url_secret": "<hidden>"}}"#.to_owned())]);
        assert!(!format!("{batch:?}").contains("topsecret"));
    }
}
