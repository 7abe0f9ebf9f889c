"""Inputs of a request in the query string, in a form, and in JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from sample_calls import SAMPLES

if TYPE_CHECKING:
    from .conftest import Raw, Reply

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
RENAME = "/ver1/accounts/1001/rename"
NOTE = "/ver1/grid_bots/203/note"
GRID = "/ver1/grid_bots/201/manual"
# An edit of a grid bot without the number of levels.
LEVELS = {name: value for name, value in SAMPLES["grid_bots.edit"].arguments.items() if name != "grids_quantity"}


def send(raw: Raw, way: str, path: str, values: dict[str, str]) -> Reply:
    if way == "query":
        return raw.send("POST", f"{path}?{urlencode(values)}")
    return raw.send(
        "POST", path, json.dumps(values) if way == "json" else urlencode(values), JSON if way == "json" else FORM
    )


@pytest.mark.parametrize("way", ["query", "form", "json"])
@pytest.mark.parametrize(("path", "field"), [(RENAME, "name"), (NOTE, "note")])
@pytest.mark.shows("promise parameters in each form", "authentication 4 form", "authentication 4 query")
def test_a_string_is_taken_in_each_way(raw: Raw, path: str, field: str, way: str) -> None:
    text = "Früh & spät = 50% + 1"
    reply = send(raw, way, path, {field: text})
    assert (reply.status, reply.body[field]) == (201, text)


@pytest.mark.parametrize("way", ["query", "form", "json"])
@pytest.mark.parametrize(("path", "field"), [(RENAME, "name"), (NOTE, "note")])
def test_a_missing_text_is_named_in_each_way(raw: Raw, path: str, field: str, way: str) -> None:
    assert send(raw, way, path, {field: ""}).messages() == {field: ["is required"]}
    assert send(raw, way, path, {"other": "x"}).messages() == {field: ["is required"]}


@pytest.mark.parametrize("path", [RENAME, NOTE, GRID.replace("manual", "note")])
@pytest.mark.shows("promise JSON sent as a form")
def test_json_under_the_content_type_that_curl_sends_is_rejected_with_the_reason(raw: Raw, path: str) -> None:
    reply = raw.send("POST", path, '{"note": "x", "name": "x"}', FORM)
    assert reply.status == 400
    assert "send Content-Type: application/json" in reply.body["error_description"]


def test_json_without_a_content_type_is_taken(raw: Raw) -> None:
    assert raw.send("POST", NOTE, '{"note": "x"}').body["note"] == "x"


@pytest.mark.shows("promise names of the number of levels")
def test_a_missing_number_of_levels_has_the_name_of_the_reference(raw: Raw) -> None:
    assert raw.send_json("PATCH", GRID, LEVELS).messages() == {"grid_quantity": ["is required"]}


@pytest.mark.parametrize(
    "named", [{"grid_quantity": 12}, {"grids_quantity": 12}, {"grid_quantity": 12, "grids_quantity": "12"}]
)
def test_the_number_of_levels_has_either_name(raw: Raw, named: dict[str, object]) -> None:
    reply = raw.send_json("PATCH", GRID, {**LEVELS, **named})
    assert (reply.status, reply.body["grids_quantity"]) == (200, "12")


@pytest.mark.shows("promise names of the number of levels")
def test_two_numbers_of_levels_that_disagree_are_rejected(raw: Raw) -> None:
    before = raw.send("POST", f"{NOTE.replace('203', '201')}?note=x").body
    messages = raw.send_json("PATCH", GRID, {**LEVELS, "grid_quantity": 12, "grids_quantity": 10}).messages()
    assert messages == {"grid_quantity": ["is 12, but grids_quantity is 10; send one of the two, or the same value"]}
    after = raw.send("POST", f"{NOTE.replace('203', '201')}?note=x").body
    assert after["grid_lines"] == before["grid_lines"]
