//! Notes about the end of a backtest: the reason why a bot did nothing, and what a SmartTrade left open.

use super::backtest_setup::{BacktestSetup, BotSetup};
use super::smart_trade_settings::end_notes;
use botdesk_trading::backtest::{Backtest, BacktestRun, History};
use botdesk_trading::engine::DcaBotConfig;

impl BacktestSetup {
    /// Returns what there is to know about the end of a run, each in a sentence.
    pub fn end_notes(&self, backtest: &Backtest, run: &BacktestRun) -> Vec<String> {
        match (&self.bot, self.pairs.first()) {
            (BotSetup::SmartTrade(_), Some(pair)) => end_notes(run, &pair.market),
            _ if run.is_idle() => self.why_idle(backtest).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the reason why a run traded nothing. That of a SmartTrade is in its end notes.
    pub fn why_idle(&self, backtest: &Backtest) -> Option<String> {
        match &self.bot {
            BotSetup::Grid { .. } => {
                Some("no order was filled: the price reached no level that has an order".to_owned())
            }
            BotSetup::SmartTrade(_) => None,
            BotSetup::Dca(config) => Some(format!("no deal was opened: {}", self.why_no_deal(config, backtest))),
        }
    }

    fn why_no_deal(&self, config: &DcaBotConfig, backtest: &Backtest) -> &'static str {
        let has_signal = backtest.histories.iter().any(|history| !history.signals.is_empty());
        if config.max_active_deals == 0 {
            "max_active_deals is 0"
        } else if !config.is_nonstop && !self.has_signals {
            "the signals of its strategies are not known; pass signals="
        } else if !config.is_nonstop && !has_signal {
            "there is no signal between the first and the last candle"
        } else if backtest.histories.iter().all(|history| is_always_outside(config, history)) {
            "the price was never between min_price and max_price"
        } else if config.start_delay.is_some() {
            "the candles end before deal_start_delay_seconds have passed"
        } else if config.min_price.is_some() || config.max_price.is_some() {
            "the price was not between min_price and max_price when a deal could open"
        } else {
            "no price allowed a deal, or its base order has no volume"
        }
    }
}

/// Returns true if no price of the candles is between the lowest and the highest price for new deals.
fn is_always_outside(config: &DcaBotConfig, history: &History) -> bool {
    let Some((low, high)) = history.candles.extremes(0..history.candles.len()) else {
        return true;
    };
    config.min_price.as_ref().is_some_and(|min| high < *min) || config.max_price.as_ref().is_some_and(|max| low > *max)
}
