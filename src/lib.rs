//! The Python binding. Only this crate uses pyo3.

#![allow(
    clippy::too_many_arguments,
    clippy::iter_not_returning_iterator,
    clippy::needless_pass_by_value,
    clippy::wrong_self_convention,
    reason = "names and arguments are those of the Python methods"
)]
// The methods that `clippy.toml` lists could lose Ctrl-C; `exceptions` has replacements.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::let_underscore_must_use, clippy::map_err_ignore)]

mod arguments;
mod bulk;
mod calls;
mod client;
mod command_line;
mod datetimes;
mod decimals;
mod display;
mod display_options;
mod errors;
mod exceptions;
mod generated;
mod hints;
mod iterators;
mod json;
mod numbers;
mod object_cache;
mod operations;
mod options;
mod overview;
mod pickles;
mod planning;
mod previews;
mod private_key;
mod profiles;
mod protocols;
mod raise;
mod records;
mod requests;
mod resources;
mod runtime;
mod sandbox;
mod stream;
mod subclass;
mod to_python;
mod values;
mod views;
mod watch;
mod widgets;

/// The Rust core of botdesk.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    /// The version of botdesk.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    const _PUBLISHED_BASE_URL: &str = botdesk_client::request::base_url::PUBLISHED;
    #[pymodule_export]
    use super::arguments::Unset;
    #[pymodule_export]
    use super::bulk::Handle;
    #[pymodule_export]
    use super::calls::Look;
    #[pymodule_export]
    use super::client::Client;
    #[pymodule_export]
    use super::command_line::{
        _account_of, _backtest_inputs, _client_facts, _destination, _looks_like_key, _operation, _operation_names,
        _printable, _rate_limit, _short_forms, _shown_line, _shown_message, _shown_path, _stream, _take_last_write,
        _watched,
    };
    #[pymodule_export]
    use super::display::html::{
        _changes_html, _class_words, _duration_text, _one_line, _places_shown, _record_html, _records_html,
        _records_text, _shown_column, _table_html, _value_and_rule,
    };
    #[pymodule_export]
    use super::display::pictures::_picture;
    #[pymodule_export]
    use super::display::tables::{_decimals, ArrowTable};
    #[pymodule_export]
    use super::display::terminal::_fit_tables_to_terminal;
    #[pymodule_export]
    use super::display_options::{DisplayOptions, display};
    #[pymodule_export]
    use super::iterators::{RecordAsyncIterator, RecordIterator};
    #[pymodule_export]
    use super::operations::Operation;
    #[pymodule_export]
    use super::options::{Budget, RateLimit, RetryPolicy};
    #[pymodule_export]
    use super::planning::backtests::{
        Backtest, BacktestBounds, BacktestComparison, BacktestDeal, BacktestOrder, BacktestSummary, EquityPoint,
        NotSimulated,
    };
    #[pymodule_export]
    use super::planning::calls::{
        _backtest, _backtest_async, _backtest_of_inputs, _backtest_of_inputs_async, _compare, _compare_async, _ladder,
        _ladder_of_edit, _levels, _levels_of_edit, _plan_grid, _plan_ladder, _sweep, _sweep_async,
    };
    #[pymodule_export]
    use super::planning::candles::{_candles_of_csv, Candle, Candles};
    #[pymodule_export]
    use super::planning::plans::{GridLevel, GridPlan, Ladder, Rung};
    #[pymodule_export]
    use super::planning::sweeps::{ChunkListener, RefusedCombination, SharedPlan, Sweep, SweepFold, SweepPoint};
    #[pymodule_export]
    use super::previews::{_edit_lines, EditPreview, FieldChange};
    #[pymodule_export]
    use super::private_key::PrivateKey;
    #[pymodule_export]
    use super::profiles::{
        _add_profile, _add_secret_profile, _check_profile_name, _chosen_client, _default_profile, _profiles,
        _profiles_file, _remove_profile, _set_default_profile,
    };
    #[pymodule_export]
    use super::records::{Attribute, Record};
    #[pymodule_export]
    use super::requests::{CustomResponse, SignedRequest};
    #[pymodule_export]
    use super::resources::Resource;
    #[pymodule_export]
    use super::runtime::hooks::RequestEvent;
    #[pymodule_export]
    use super::runtime::tokio_runtime::_shutdown;
    #[pymodule_export]
    use super::sandbox::class::{ReceivedRequest, Sandbox};
    #[pymodule_export]
    use super::sandbox::clock::Clock;
    #[pymodule_export]
    use super::sandbox::faults::{Faults, HappenedFault, PendingFault};
    #[pymodule_export]
    use super::sandbox::playback::{MarketEvent, Moment, Playback};
    #[pymodule_export]
    use super::sandbox::recording::{Recording, Replay, record};
    #[pymodule_export]
    use super::sandbox::streams::{SandboxStreams, StreamAttempt};
    #[pymodule_export]
    use super::stream::{Stream, StreamEvent};
    #[pymodule_export]
    use super::watch::{RecordAsyncWatch, RecordChange, RecordWatch};
    #[pymodule_export]
    use super::widgets::{_tuning_inputs, _widget};
}
