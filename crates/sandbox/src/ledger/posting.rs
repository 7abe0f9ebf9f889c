//! The balances of accounts as fills move them.

use bigdecimal::{BigDecimal, Zero as _};

use crate::account_summary::write_percentages;
use crate::balance::Balance;
use crate::balances::value_fields;
use crate::funds::{Amounts, GivenBalances};
use crate::state::State;

impl State {
    /// Returns true if the user gave the balances of an account: an order beyond them is refused. Any other account has enough for
    /// every order.
    pub(crate) fn is_limited(&self, account: u64) -> bool {
        self.given_balances.is_some() || self.limited_accounts.contains(&account)
    }

    /// Moves amounts of an account. What it lacks is deposited: an account has no debts.
    pub(crate) fn post(&mut self, account: Option<u64>, moved: &Amounts) {
        let Some(account) = account.filter(|account| self.store.accounts.contains_key(account)) else { return };
        if moved.iter().all(|(_, amount)| amount.is_zero()) {
            return;
        }
        let mut balances = self.ledger(account);
        for (code, amount) in moved.iter() {
            match balances.iter_mut().find(|balance| balance.code == code) {
                Some(balance) => balance.change(amount),
                None => balances.push(Balance::free(code, amount.clone().max(BigDecimal::zero()))),
            }
        }
        self.given_values.remove(&account);
        self.holdings.insert(account, balances);
    }

    /// Gives every account these balances, also those that are added later. What the orders and positions on it reserve beyond
    /// them comes on top.
    pub(crate) fn give_balances(&mut self, given: &GivenBalances) {
        self.given_balances = Some(given.clone());
        let accounts: Vec<_> = self.store.accounts.keys().copied().collect();
        for account in accounts {
            self.limited_accounts.insert(account);
            self.cover(account);
            self.write_value(account);
        }
    }

    /// Gives a new account balances.
    pub(crate) fn give_account(&mut self, account: u64, given: &GivenBalances) {
        self.limited_accounts.insert(account);
        self.holdings.insert(account, given.balances());
        self.write_value(account);
    }

    fn write_value(&mut self, account: u64) {
        let value = value_fields(&self.ledger(account), &self.market);
        if let Some(record) = self.store.accounts.get_mut(&account) {
            record.extend(value);
            write_percentages(record);
        }
    }

    /// Deposits what bots, deals and trades reserve that were added to accounts with given balances.
    pub(crate) fn cover_added(&mut self) {
        let limited: Vec<_> = self.store.accounts.keys().copied().filter(|id| self.is_limited(*id)).collect();
        for account in limited {
            self.cover(account);
        }
    }

    fn cover(&mut self, account: u64) {
        let uncovered = self.uncovered(account);
        self.post(Some(account), &uncovered);
    }
}
