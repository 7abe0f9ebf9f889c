//! Records as tables: the rows of the document as Arrow columns, for whatever library reads them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{ArrowError, Field, Schema};

use crate::service::json::Json;
use crate::service::record::{Fields, Row};
use crate::service::secrets::without_secrets;
use crate::service::values::{Amount, Flag, Integer, Kind, List, Open, OpenValue, Text, Timestamp};

/// What a field becomes in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// A whole number.
    Integer,
    /// Yes or no.
    Flag,
    /// A text.
    Text,
    /// A decimal.
    Amount,
    /// A point in time.
    Timestamp,
    /// A list of texts.
    Texts,
    /// A decimal where it is one, else JSON.
    Open,
    /// JSON.
    Json,
}

/// How decimals stand in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decimals {
    /// As text, exactly.
    Exact,
    /// As floats, which can be calculated with at once and have fifteen digits.
    Floats,
}

/// A field of a record that could not be read, so that the table has a null in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The name of the field.
    pub field: &'static str,
    /// The records, by their place in the list.
    pub records: Vec<usize>,
}

/// A table, and what could not be read for it.
#[derive(Clone, Debug)]
pub struct Table {
    /// The columns.
    pub batch: RecordBatch,
    /// What could not be read.
    pub unread: Vec<Unread>,
}

/// The name of the column that holds what the document does not know.
const EXTRA: &str = "extra";

/// Under which key a column tells of the records whose value could not be read.
const UNREAD: &str = "botdesk.unreadable";

impl Table {
    /// The table of records that all have these rows.
    ///
    /// There is a column for each row but the secrets, and one for what the document does not know. Which columns
    /// there are and of what type does not depend on what the records hold, so that tables can be put together.
    pub fn of(rows: &'static [Row], records: &[&Fields], decimals: Decimals) -> Result<Self, ArrowError> {
        let mut fields = Vec::new();
        let mut columns = Vec::new();
        let mut unread = Vec::new();
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| !row.secret) {
            let (column, records) = column(index, row.column, records, decimals);
            fields.push(described(row.name, &column, &records));
            columns.push(column);
            if !records.is_empty() {
                unread.push(Unread { field: row.name, records });
            }
        }
        if !rows.is_empty() {
            let extra = extra(records);
            fields.push(described(EXTRA, &extra, &[]));
            columns.push(extra);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(records.len()));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?;
        Ok(Self { batch, unread })
    }
}

/// A column of what was calculated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calculated {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Decimals, as texts.
    Amounts(Vec<Option<String>>),
    /// Texts.
    Texts(Vec<Option<&'static str>>),
}

impl Calculated {
    fn array(self, decimals: Decimals) -> ArrayRef {
        match (self, decimals) {
            (Self::Integers(values), _) => Arc::new(Int64Array::from(values)),
            (Self::Texts(values), _) => Arc::new(StringArray::from(values)),
            (Self::Amounts(values), Decimals::Exact) => Arc::new(StringArray::from(values)),
            (Self::Amounts(values), Decimals::Floats) => {
                let floats = values.into_iter().map(|value| value?.parse().ok());
                Arc::new(floats.collect::<Float64Array>())
            }
        }
    }
}

/// The table of what was calculated, column by column.
pub fn calculated(columns: Vec<(&str, Calculated)>, decimals: Decimals) -> Result<RecordBatch, ArrowError> {
    let arrays = columns.into_iter().map(|(name, column)| (name, column.array(decimals), true));
    RecordBatch::try_from_iter_with_nullable(arrays)
}

fn described(name: &str, column: &ArrayRef, unread: &[usize]) -> Field {
    let field = Field::new(name, column.data_type().clone(), true);
    if unread.is_empty() {
        return field;
    }
    let places: Vec<String> = unread.iter().map(usize::to_string).collect();
    field.with_metadata(HashMap::from([(UNREAD.to_owned(), format!("[{}]", places.join(", ")))]))
}

/// A column, and the places of the records whose value could not be read.
fn column(index: usize, column: Column, records: &[&Fields], decimals: Decimals) -> (ArrayRef, Vec<usize>) {
    let mut cells = Cells { index, records, unread: Vec::new() };
    let column: ArrayRef = match (column, decimals) {
        (Column::Integer, _) => {
            let mut builder = Int64Builder::with_capacity(records.len());
            cells.each(Integer::read, |value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        (Column::Flag, _) => {
            let mut builder = BooleanBuilder::with_capacity(records.len());
            cells.each(Flag::read, |value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        (Column::Timestamp, _) => {
            let mut builder = TimestampMicrosecondBuilder::with_capacity(records.len()).with_timezone("UTC");
            cells.each(Timestamp::read, |value| {
                builder.append_option(value.and_then(|read| Some(read.time()?.as_microsecond())));
            });
            Arc::new(builder.finish())
        }
        (Column::Amount, Decimals::Floats) => {
            let mut builder = Float64Builder::with_capacity(records.len());
            cells.each(float, |value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        (Column::Texts, _) => {
            let mut builder = ListBuilder::new(StringBuilder::new());
            cells.each(List::<Text>::read, |value| {
                builder.append_option(value.map(|texts| texts.into_iter().map(Some)));
            });
            Arc::new(builder.finish())
        }
        (Column::Amount, Decimals::Exact) => cells.texts(|json| Amount::read(json).map(|it| it.as_str().to_owned())),
        (Column::Text, _) => cells.texts(|json| Text::read(json).map(std::borrow::Cow::into_owned)),
        (Column::Open, _) => cells.texts(|json| match Open::read(json)? {
            OpenValue::Amount(amount) => Some(amount.as_str().to_owned()),
            OpenValue::Json(json) => Some(without_secrets(json.text())),
        }),
        (Column::Json, _) => cells.texts(|json| Some(without_secrets(json.text()))),
    };
    (column, cells.unread)
}

fn float(json: Json<'_>) -> Option<f64> {
    Amount::read(json)?.as_str().parse().ok()
}

/// The values of one field in all records.
struct Cells<'a> {
    index: usize,
    records: &'a [&'a Fields],
    unread: Vec<usize>,
}

impl<'a> Cells<'a> {
    /// Hands on each value: None where it is absent, null, or can't be read.
    fn each<T>(&mut self, read: impl Fn(Json<'a>) -> Option<T>, mut take: impl FnMut(Option<T>)) {
        for (place, record) in self.records.iter().enumerate() {
            let json = record.get(self.index).filter(|json| !json.is_null());
            let value = json.and_then(&read);
            if record.is_odd() || (json.is_some() && value.is_none()) {
                self.unread.push(place);
            }
            take(value);
        }
    }

    fn texts(&mut self, read: impl Fn(Json<'a>) -> Option<String>) -> ArrayRef {
        let mut builder = StringBuilder::new();
        self.each(read, |value| builder.append_option(value));
        Arc::new(builder.finish())
    }
}

/// What the document does not know of each record, as a JSON object; null where there is nothing.
fn extra(records: &[&Fields]) -> ArrayRef {
    let mut builder = StringBuilder::new();
    for record in records {
        let members: Vec<String> = record.extra().map(|(key, value)| member(&key, value)).collect();
        let object = (!members.is_empty()).then(|| without_secrets(&format!("{{{}}}", members.join(","))));
        builder.append_option(object);
    }
    Arc::new(builder.finish())
}

fn member(key: &str, value: Json<'_>) -> String {
    format!("{}:{}", serde_json::Value::from(key), value.text())
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
    use arrow_array::{Array, RecordBatch};
    use arrow_schema::{DataType, TimeUnit};

    use super::*;
    use crate::service::dca_bot::DcaBot;
    use crate::service::record::Record;

    /// The type of a column, as Arrow names it.
    fn data_type(column: Column, decimals: Decimals) -> DataType {
        match (column, decimals) {
            (Column::Integer, _) => DataType::Int64,
            (Column::Flag, _) => DataType::Boolean,
            (Column::Timestamp, _) => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            (Column::Amount, Decimals::Floats) => DataType::Float64,
            (Column::Texts, _) => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
            _ => DataType::Utf8,
        }
    }

    fn bots(text: &str) -> Vec<DcaBot> {
        DcaBot::list_from_json(text).unwrap()
    }

    fn table(bots: &[DcaBot], decimals: Decimals) -> Table {
        let fields: Vec<_> = bots.iter().map(Record::fields).collect();
        Table::of(DcaBot::ROWS, &fields, decimals).unwrap()
    }

    fn batch(text: &str) -> RecordBatch {
        table(&bots(text), Decimals::Exact).batch
    }

    fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
        batch.column_by_name(name).unwrap().as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
    }

    #[test]
    fn every_field_but_the_secret_is_a_column_of_its_kind() {
        for decimals in [Decimals::Exact, Decimals::Floats] {
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
    fn values_are_what_the_attributes_are() {
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
    fn what_was_calculated_keeps_its_digits_or_becomes_floats() {
        let columns = || {
            let amounts = vec![Some("0.10".to_owned()), None];
            vec![("number", Calculated::Integers(vec![0, 1])), ("price", Calculated::Amounts(amounts))]
        };
        let exact = calculated(columns(), Decimals::Exact).unwrap();
        assert_eq!(texts(&exact, "price"), [Some("0.10".to_owned()), None]);
        let floats = calculated(columns(), Decimals::Floats).unwrap();
        let price = floats.column_by_name("price").unwrap().as_primitive::<Float64Type>();
        assert_eq!(price.iter().collect::<Vec<_>>(), [Some(0.1), None]);
        assert_eq!(floats.column_by_name("number").unwrap().as_primitive::<Int64Type>().value(1), 1);
    }

    #[test]
    fn what_is_absent_or_null_is_null() {
        let batch = batch(r#"[{}, {"take_profit": null, "active_deals": null}]"#);
        assert_eq!(batch.num_rows(), 2);
        assert!(batch.columns().iter().all(|column| column.null_count() == 2));
    }

    #[test]
    fn what_cannot_be_read_is_null_and_told() {
        let bots = bots(r#"[{"id": 1, "max_active_deals": "many"}, 5, {"id": 3, "max_active_deals": 3}]"#);
        let table = table(&bots, Decimals::Exact);
        let unread = table.unread.iter().find(|unread| unread.field == "max_active_deals").unwrap();
        assert_eq!(unread.records, [0, 1]);
        assert_eq!(table.unread.iter().find(|unread| unread.field == "id").unwrap().records, [1]);
        let column = table.batch.column_by_name("max_active_deals").unwrap().as_primitive::<Int64Type>();
        assert_eq!(column.iter().collect::<Vec<_>>(), [None, None, Some(3)]);
        let schema = table.batch.schema();
        let field = schema.field_with_name("max_active_deals").unwrap();
        assert_eq!(field.metadata().get("botdesk.unreadable").unwrap(), "[0, 1]");
    }

    #[test]
    fn decimals_are_floats_where_that_is_asked_for() {
        let bots = bots(r#"[{"take_profit": "1.5"}, {"take_profit": "Infinity"}, {"take_profit": 2e-3}]"#);
        let batch = table(&bots, Decimals::Floats).batch;
        let column = batch.column_by_name("take_profit").unwrap().as_primitive::<Float64Type>();
        assert_eq!(column.iter().collect::<Vec<_>>(), [Some(1.5), Some(f64::INFINITY), Some(0.002)]);
    }

    #[test]
    fn what_the_document_does_not_know_stands_in_a_column_of_its_own() {
        let batch = batch(r#"[{"mode": "long", "a\"b": [1.50]}, {"id": 1}]"#);
        assert_eq!(texts(&batch, "extra"), [Some(r#"{"mode":"long","a\"b":[1.50]}"#.to_owned()), None]);
    }

    #[test]
    fn no_column_holds_a_secret() {
        let batch = batch(
            r#"[{"url_secret": "topsecret1", "active_deals": [{"id": 5, "url_secret": "topsecret2"}],
                "old": {"url_secret": "topsecret3"}}]"#,
        );
        assert_eq!(texts(&batch, "active_deals"), [Some(r#"[{"id": 5, "url_secret": "<hidden>"}]"#.to_owned())]);
        assert_eq!(texts(&batch, "extra"), [Some(r#"{"old":{"url_secret": "<hidden>"}}"#.to_owned())]);
        assert!(!format!("{batch:?}").contains("topsecret"));
    }
}
