"""The check for modules that import each other in a circle: which imports it sees, and what it reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("grimp", reason="only the development tools have grimp")

import check_modules as checker

if TYPE_CHECKING:
    from pathlib import Path


def graph_of(folder: Path, files: dict[str, str]) -> checker.Graph:
    """Write the files of a crate, and return their imports."""
    for name, source in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, "utf-8")
    known = checker.modules(folder)
    return {module: checker.imports(module, file, known) for module, file in known.items()}


class TestImportsOfAFile:
    @pytest.mark.parametrize(
        "source",
        [
            pytest.param("use crate::seed::account;", id="use"),
            pytest.param("use super::seed::{self, account::{accounts, Account as Seeded}};", id="braces"),
            pytest.param("use super::{\n    other::Thing,\n    seed::account::accounts,\n};", id="lines"),
            pytest.param("fn f() { crate::seed::account::accounts() }", id="path"),
            pytest.param("use crate::seed;\nfn f() { seed::account::accounts() }", id="path of an import"),
            pytest.param("use crate::seed as s;\nfn f() -> s::account::Account { s() }", id="path of a renamed import"),
            pytest.param("macro_rules! m { () => { $crate::seed::account::accounts() } }", id="path of a macro"),
        ],
    )
    def test_an_import_and_a_path_lead_to_a_module(self, tmp_path: Path, source: str) -> None:
        files = {"lib.rs": "", "seed/mod.rs": "", "seed/account.rs": "", "user.rs": source}
        assert ("seed", "account") in graph_of(tmp_path, files)["user",]

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param("fn f() { account::accounts() }", id="function"),
            pytest.param("fn f(given: &account::Account) {}", id="type"),
            pytest.param("fn f() -> Vec<account::Account> { g() }", id="type in brackets"),
            pytest.param("fn f() { g(account::FIRST) }", id="constant"),
            pytest.param("fn f() { self::account::accounts() }", id="self"),
            pytest.param("pub use account::Account;\nstruct All(Account);", id="name of a re-export"),
        ],
    )
    def test_a_path_that_starts_with_a_child_or_a_name_of_it_leads_to_the_child(
        self, tmp_path: Path, source: str
    ) -> None:
        files = {"lib.rs": "", "seed/mod.rs": f"mod account;\n{source}", "seed/account.rs": ""}
        assert graph_of(tmp_path, files)["seed",] == {("seed", "account")}

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param("mod account;", id="declaration"),
            pytest.param("pub use account::accounts;", id="re-export"),
            pytest.param("pub(crate) use account::{\n    accounts,\n};", id="re-export for the crate"),
            pytest.param("pub use account::name;\nstruct Named { name: String }", id="member named like a re-export"),
            pytest.param("// account::accounts()", id="comment"),
            pytest.param('const TEXT: &str = "account::accounts()";', id="string"),
            pytest.param("fn f() { other::account::accounts() }", id="another crate"),
            pytest.param("fn f() { value.account::<Text>() }", id="method"),
            pytest.param("#[cfg(test)]\nmod checks {\n    use super::account::accounts;\n}", id="tests"),
        ],
    )
    def test_a_module_does_not_depend_on_what_it_only_declares_or_mentions(self, tmp_path: Path, source: str) -> None:
        files = {"lib.rs": "", "seed/mod.rs": source, "seed/account.rs": ""}
        assert graph_of(tmp_path, files)["seed",] == set()


class TestCircles:
    def test_a_file_that_names_its_child_by_a_path_may_not_be_imported_by_it(self, tmp_path: Path) -> None:
        files = {
            "lib.rs": "mod seed;",
            "seed/mod.rs": "mod account;\npub const DAY: i64 = 1;\nfn f() { account::accounts() }",
            "seed/account.rs": "use super::DAY;",
        }
        assert list(checker.problems(graph_of(tmp_path, files))) == [
            "these files import each other in a circle:\n    seed imports seed/account\n    seed/account imports seed"
        ]

    def test_top_level_modules_may_not_import_each_other_by_different_files(self, tmp_path: Path) -> None:
        files = {
            "lib.rs": "mod market;\nmod state;",
            "market/mod.rs": "mod listing;\nmod moves;",
            "market/listing.rs": "",
            "market/moves.rs": "use crate::state::State;",
            "state.rs": "use crate::market::listing::Listing;",
        }
        assert list(checker.problems(graph_of(tmp_path, files))) == [
            "these top-level modules import each other in a circle:\n    market imports state\n    state imports market"
        ]

    def test_modules_that_import_each_other_in_one_direction_are_fine(self, tmp_path: Path) -> None:
        files = {"lib.rs": "pub use a::A;", "a.rs": "use crate::b::B;\nuse crate::c::C;", "b.rs": "use crate::c::C;"}
        assert list(checker.problems(graph_of(tmp_path, files | {"c.rs": ""}))) == []


class TestThisRepository:
    def test_there_are_no_circles(self) -> None:
        assert checker.main() == 0

    def test_imports_inside_of_functions_count_and_those_for_type_checkers_do_not(self) -> None:
        graph = checker.package_graph()
        # `Records.plot` imports the pictures, `LiveTable` names `Records` for type checkers only.
        assert ("_pictures",) in graph["_records",]
        assert ("_records",) not in graph["_widgets", "live_widget"]
