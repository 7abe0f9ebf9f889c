//! The edits of the script: it reads a bot, and changes its name, disables it, or cancels its deals.

use std::sync::Arc;

use serde_json::Value;
use tokio::time::sleep;

use botdesk_api::dca_bots::{DcaBot, DcaBotEdit};
use botdesk_api::samples::operation;
use botdesk_client::edit::Edit;
use botdesk_client::request::spec::{InputValues, RequestSpec};
use botdesk_sandbox::Random;
use botdesk_schema::record::Record as _;
use botdesk_schema::values::Field;

use super::disk::Disk;
use super::life::Life;
use crate::world::seconds;

/// Edits until it is killed.
pub(super) async fn edit(life: Arc<Life>, disk: Arc<Disk>, mut random: Random) {
    loop {
        sleep(seconds(&mut random, 20, 1_200)).await;
        let bot = random.choose(&disk.bots, 0);
        let request = |name| RequestSpec::plain(operation(name), Some(bot));
        match random.between(1, 10) {
            // Disabled bots open no deals, so only some bots are ever disabled.
            1 if bot.is_multiple_of(3) => drop(life.send(request("dca_bots.disable")).await),
            2 | 3 => drop(life.send(request("dca_bots.cancel_all_deals")).await),
            _ => rename(&life, bot, &mut random).await,
        }
    }
}

/// Reads a bot, and gives it a name that no bot had before.
async fn rename(life: &Life, bot: u64, random: &mut Random) {
    let (_, read) = life.send(RequestSpec::plain(operation("dca_bots.get"), Some(bot))).await;
    let Ok(record) = read else { return };
    let name = format!("{:x}", random.between(0, i64::MAX));
    let world = &life.world;
    let request = {
        let mut observer = world.observer();
        let checked = observer.settings.read(bot, &name_of(&record));
        observer.require(checked);
        match Edit::of(operation("dca_bots.edit"), bot, record.fields(), given(&name)) {
            Ok(edit) => {
                observer.settings.start(bot, &name);
                edit.request
            }
            Err(error) => return observer.require(Err(format!("the edit of bot {bot} is invalid: {error}"))),
        }
    };
    let (outcome, _) = life.send(request).await;
    world.observer().settings.end(bot, &name, outcome);
}

fn given(name: &str) -> InputValues {
    let inputs = vec![(DcaBotEdit::name, Field::Value(Value::from(name)))];
    InputValues { inputs, unsendable: Vec::new(), validate: true }
}

/// Returns the name of a bot.
pub(crate) fn name_of(bot: &DcaBot) -> String {
    bot.name().ok().flatten().map(|name| name.to_string()).unwrap_or_default()
}
