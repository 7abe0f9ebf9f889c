"""The themes of pictures: their colours, and what a light or a dark notebook shows."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import itertools
import math
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt

import botdesk
from botdesk import Account, DepositData, NetworkInfo
from botdesk._pictures.colours import DARK, LIGHT, Colours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes

    from botdesk import Deal, Records

# The backgrounds of Jupyter, with the bands of its tables, and that of VS Code.
BACKGROUNDS = {"light": ("#ffffff", "#f5f5f5"), "dark": ("#111111", "#1e1e1e", "#212121")}
THEMES = {"light": LIGHT, "dark": DARK}
# What eyes without the cones for red and for green see, of linear light: Machado, Oliveira and Fernandes, 2009.
EYES = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}
CANDLES = [[0, 100, 102, 98, 101], [60_000, 101, 104, 100, 103]]
EVIL = "</svg><script>alert(1)</script>--><b>"


def linear(colour: str) -> list[float]:
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colors.to_rgb(colour)]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, as WCAG counts it."""
    weights = (0.2126, 0.7152, 0.0722)
    lights = [
        sum(weight * part for weight, part in zip(weights, linear(colour), strict=True)) for colour in (one, other)
    ]
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def lab(colour: str, eye: str) -> tuple[float, float, float]:
    """Return a colour as an eye sees it, in CIE L*a*b*."""
    light = linear(colour)
    seen = [min(1, max(0, sum(a * b for a, b in zip(row, light, strict=True)))) for row in EYES[eye]]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.95047, 1, 1.08883)
    parts = [sum(a * b for a, b in zip(row, seen, strict=True)) / of for row, of in zip(to_xyz, white, strict=True)]
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in parts)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


class TestColours:
    @pytest.mark.parametrize("theme", THEMES)
    def test_text_in_any_of_them_can_be_read(self, theme: str) -> None:
        for colour in THEMES[theme][:-1]:
            assert min(contrast(colour, behind) for behind in BACKGROUNDS[theme]) >= 4.5, colour

    @pytest.mark.parametrize("theme", THEMES)
    @pytest.mark.parametrize("eye", EYES)
    def test_no_two_look_alike_for_any_eyes(self, theme: str, eye: str) -> None:
        for one, other in itertools.combinations(THEMES[theme][:-1], 2):
            assert math.dist(lab(one, eye), lab(other, eye)) >= 20, (one, other)

    @pytest.mark.parametrize("theme", THEMES)
    def test_text_on_the_price_can_be_read(self, theme: str) -> None:
        assert contrast(THEMES[theme].price, THEMES[theme].on_price) >= 4.5


def pictures(deals: Callable[..., Records[Deal]]) -> dict[str, Callable[..., Axes]]:
    """Return the `plot` of everything that has one."""
    fields: dict[str, Any] = {"base_order_volume": 100, "max_safety_orders": 0, "take_profit": 1}
    grid = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5, price=121)
    with botdesk.Sandbox(seed=7) as sandbox:
        client = sandbox.client()
        bot, grid_bot = client.dca_bots.get(41), client.grid_bots.enable(203)
        preview = bot.preview_edit(take_profit="2.5")
    return {
        "ladder": botdesk.plan_ladder(price=100, pairs="USDT_ETH", stop_loss_percentage=9, **fields).plot,
        "grid": grid.plot,
        "grid bot": grid_bot.plot,
        "deals of a bot": bot.plot,
        "deals": deals({}, {"pair": "USDT_BTC"}).plot,
        "backtest": botdesk.backtest(botdesk.Candles(CANDLES), pairs="USDT_BTC", **fields).plot,
        "comparison": preview.backtest(botdesk.Candles(CANDLES)).plot,
        "account": Account.from_json('{"name": "Main", "usd_profit": "-2", "total_usd_profit": "40"}').plot,
        "accounts": Account.list_from_json('[{"usd_amount": "900"}, {"usd_amount": "7"}]').plot,
        "deposit": DepositData.from_json('{"available_balance": "3", "in_orders": "1"}').plot,
        "networks": NetworkInfo.from_json('{"currency": "USDT", "network_list": [{"withdraw_fee": "1"}]}').plot,
    }


@pytest.fixture
def plots(deals: Callable[..., Records[Deal]]) -> dict[str, Callable[..., Axes]]:
    return pictures(deals)


def texts(ax: Axes) -> Iterator[Any]:
    """Yield all texts of axes that are not empty, without those in a box of their own."""
    found: list[Any] = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts, *ax.get_xticklabels()]
    legend = ax.get_legend()
    found += [*ax.get_yticklabels(), *(legend.get_texts() if legend else [])]
    yield from (text for text in found if text.get_text() and not text.get_bbox_patch())


class TestAPicture:
    def test_each_has_a_title_and_names_its_axes(self, plots: dict[str, Callable[..., Axes]]) -> None:
        for name, plot in plots.items():
            ax = plot()
            figure = ax.get_figure(root=True)
            assert figure is not None
            assert ax.get_title("left"), name
            last = figure.axes[-1]
            for panel in figure.axes:
                # An axis without numbers, such as one of names, needs no label.
                named = {"x": panel.get_xlabel() or (panel is not last and last.get_xlabel()), "y": panel.get_ylabel()}
                for axis in ("x", "y"):
                    ticks = [label.get_text() for label in getattr(panel, f"get_{axis}ticklabels")()]
                    numbers = [text for text in ticks if re.fullmatch(r"[-\u2212]?[\d.]+", text)]
                    assert named[axis] or not numbers, (name, axis)

    def test_amounts_and_prices_have_a_unit(self, plots: dict[str, Callable[..., Axes]]) -> None:
        labels: dict[str, set[str]] = {}
        for name, plot in plots.items():
            panels = all_axes(plot())
            labels[name] = {label for ax in panels for label in (ax.get_xlabel(), ax.get_ylabel()) if label}
            plt.close("all")
        assert labels["ladder"] == {"order, and its size in USDT", "price, USDT per ETH"}
        assert labels["grid bot"] == {"price, USDT per ETH"}
        assert labels["deals of a bot"] == {"price, USDT per ETH"}
        assert labels["deals"] == {"from the average price, %"}
        assert labels["backtest"] == {"time, UTC", "price, USDT per BTC", "profit, USDT", "capital, USDT"}
        assert labels["comparison"] == {"time, UTC", "profit, USDT", "capital, USDT", "difference, USDT"}
        assert labels["account"] == {"profit, USD"}
        assert labels["accounts"] == {"held, USD"}
        assert labels["networks"] == {"fee of a withdrawal, USDT"}

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_all_text_of_a_theme_can_be_read(self, theme: str, plots: dict[str, Callable[..., Axes]]) -> None:
        for name, plot in plots.items():
            for ax in all_axes(plot(theme=theme)):
                assert colors.to_hex(ax.get_facecolor()) == THEMES[theme].paper
                for text in texts(ax):
                    assert contrast(text.get_color(), THEMES[theme].paper) >= 4.5, (name, text)

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_axes_of_the_caller_get_the_theme_too(self, theme: str, plots: dict[str, Callable[..., Axes]]) -> None:
        figure, (left, right) = plt.subplots(1, 2)
        assert plots["ladder"](left, theme=theme) is left
        plots["backtest"](ax=right, theme=theme)
        assert colors.to_hex(figure.get_facecolor()) == THEMES[theme].paper
        for ax in figure.axes:
            for text in texts(ax):
                assert contrast(text.get_color(), THEMES[theme].paper) >= 4.5, text

    def test_a_theme_leaves_the_parameters_of_matplotlib_as_they_are(
        self, plots: dict[str, Callable[..., Axes]]
    ) -> None:
        before = dict(mpl.rcParams)
        plots["ladder"](theme="dark")
        assert dict(mpl.rcParams) == before

    @pytest.mark.parametrize("theme", ["blue", "", "Dark", None, 1])
    def test_another_theme_is_rejected(self, theme: Any, plots: dict[str, Callable[..., Axes]]) -> None:  # noqa: ANN401
        for name in ("ladder", "deals", "backtest"):
            with pytest.raises(botdesk.ValidationError, match="theme: must be one of auto, light, dark, not") as caught:
                plots[name](theme=theme)
            assert list(caught.value.errors) == ["theme"]
        assert plt.get_fignums() == []


def all_axes(ax: Axes) -> list[Axes]:
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    return figure.axes


class Svg(HTMLParser):
    """The elements and the attributes of a figure in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name.endswith("href")}


def html_of(ax: Axes) -> str:
    figure: Any = ax.get_figure(root=True)
    found: str = figure._repr_html_()
    return found


def style_of(html: str) -> str:
    return html[: html.index("</style>")]


class TestANotebook:
    def test_a_picture_has_the_colours_of_both_themes(self, plots: dict[str, Callable[..., Axes]]) -> None:
        for name, plot in plots.items():
            html = html_of(plot())
            style, svg = style_of(html), html[html.index("<svg") :]
            for theme, colours in THEMES.items():
                assert theme in style
                for role, colour in colours._asdict().items():
                    assert f"--bd-plot-{role}: {colour}" in style
            # Nothing is left in a colour of one theme only.
            assert re.findall(r": (#[0-9a-f]{6})", svg) == [], name
            assert "var(--bd-plot-paper)" in svg

    @pytest.mark.parametrize(
        ("page", "theme"),
        [
            ('body[data-jp-theme-light="true"]', "light"),
            ('body[data-jp-theme-light="false"]', "dark"),
            ("body.vscode-dark", "dark"),
            ("html[theme=dark]", "dark"),
            ("@media (prefers-color-scheme: dark) {", "dark"),
        ],
    )
    def test_the_page_decides_which(self, page: str, theme: str, plots: dict[str, Callable[..., Axes]]) -> None:
        style = style_of(html_of(plots["ladder"]()))
        (rule,) = [line for line in style.splitlines() if page in line]
        assert f"--bd-plot-paper: {THEMES[theme].paper}" in rule

    def test_it_says_to_a_screen_reader_what_it_shows(self, plots: dict[str, Callable[..., Axes]]) -> None:
        assert 'role="img" aria-label="Ladder: a deal takes 100 USDT"' in html_of(plots["ladder"]())

    def test_no_name_becomes_an_element(self) -> None:
        ax = Account.from_json(f'{{"name": "{EVIL}", "usd_profit": "1"}}').plot()
        svg = Svg(html_of(ax))
        assert svg.elements <= {"style", "div", "svg", "defs", "g", "path", "use", "text", "clippath", "rect"}
        assert not any(name.startswith("on") for name in svg.attributes)

    def test_nothing_is_loaded_from_elsewhere(self, plots: dict[str, Callable[..., Axes]]) -> None:
        for plot in plots.values():
            html = html_of(plot())
            assert all(link.startswith("#") for link in Svg(html).links)
            assert all(url.startswith("url(#") for url in re.findall(r"url\([^)]*\)", html))

    def test_what_the_caller_adds_is_in_the_picture(self, plots: dict[str, Callable[..., Axes]]) -> None:
        ax = plots["ladder"]()
        ax.axhline(101, color="#123456")
        assert "#123456" in html_of(ax)

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_a_chosen_theme_does_not_adapt(self, theme: str, plots: dict[str, Callable[..., Axes]]) -> None:
        assert html_of(plots["ladder"](theme=theme)) is None

    def test_a_style_of_matplotlib_does_not_adapt(self, plots: dict[str, Callable[..., Axes]]) -> None:
        with plt.style.context("dark_background"):
            ax = plots["ladder"]()
            assert html_of(ax) is None
        assert colors.to_hex(ax.get_facecolor()) == "#000000"
        assert DARK.profit in [line.get_color() for line in ax.lines]

    def test_it_is_saved_to_files_as_usual(self, plots: dict[str, Callable[..., Axes]], tmp_path: Any) -> None:  # noqa: ANN401
        figure = plots["ladder"]().get_figure(root=True)
        assert figure is not None
        figure.savefig(tmp_path / "ladder.png")
        image = plt.imread(tmp_path / "ladder.png")
        assert image[0, 0].tolist() == [1, 1, 1, 1]

    def test_a_picture_that_would_slow_the_page_down_is_left_to_the_png(
        self, monkeypatch: pytest.MonkeyPatch, plots: dict[str, Callable[..., Axes]]
    ) -> None:
        ax = plots["ladder"]()
        monkeypatch.setattr("botdesk._pictures.figure._LARGEST", 100)
        assert html_of(ax) is None


def test_the_table_of_colours_has_the_same_roles_for_both_themes() -> None:
    assert isinstance(LIGHT, Colours)
    assert len({*LIGHT}) == len({*DARK}) == len(Colours._fields)
