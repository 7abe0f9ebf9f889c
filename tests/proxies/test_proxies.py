"""Proxies, set by an option or by the environment: which requests use them, and that no output holds their password."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .conftest import HOST, HttpProxy, Service, SocksProxy

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]

USER = "canary-user:canary-password"
# An IP address of this machine outside its loopback range, for which a proxy is used.
THIS_MACHINE = "0.0.0.0"  # noqa: S104


def client(private_key: str, base_url: str, **options: Any) -> botdesk.Client:  # noqa: ANN401
    """Make a client that sends each request once."""
    given: dict[str, Any] = {"retries": 0, "rate_limit": None, "timeout": 20.0, "allow_http": True, **options}
    return botdesk.Client("proxy-test-api-key", private_key, base_url=base_url, **given)


def everything_shown(error: BaseException) -> str:
    return "\n".join([repr(error), repr(vars(error)), *traceback.format_exception(error)])


class TestAnOption:
    def test_an_http_proxy_is_handed_a_request_with_its_whole_address(
        self, http_proxy: Run, service: Service, private_key: str
    ) -> None:
        proxy: HttpProxy = http_proxy()
        through = client(private_key, f"http://{HOST}", proxy=f"http://127.0.0.1:{proxy.port}")
        assert through.dca_bots.get(41).id == 41
        assert proxy.heads[0].startswith(f"GET http://{HOST}/public/api/ver1/bots/41/show HTTP/1.1\r\n")
        assert len(service.heads) == 1

    def test_an_http_proxy_receives_the_credentials(self, http_proxy: Run, service: Service, private_key: str) -> None:
        proxy: HttpProxy = http_proxy(USER)
        through = client(private_key, f"http://{HOST}", proxy=f"http://{USER}@127.0.0.1:{proxy.port}")
        assert through.dca_bots.get(41).id == 41
        assert len(service.heads) == 1

    def test_a_tunnel_is_requested_if_the_service_uses_tls(self, http_proxy: Run, private_key: str) -> None:
        proxy: HttpProxy = http_proxy(USER)
        through = client(private_key, f"https://{HOST}", proxy=f"http://{USER}@127.0.0.1:{proxy.port}")
        # The service does not speak TLS, so the test ends with the tunnel.
        with pytest.raises(botdesk.ConnectionFailedError) as caught:
            through.dca_bots.get(41)
        assert not caught.value.sent
        assert proxy.heads[0].startswith(f"CONNECT {HOST}:443 HTTP/1.1\r\n")
        # The proxy must see neither the key nor the signature.
        assert "proxy-test-api-key" not in "".join(proxy.heads)
        assert "signature" not in "".join(proxy.heads).lower()
        assert "canary" not in everything_shown(caught.value)

    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_an_http_proxy_that_knows_somebody_else_sends_nothing_on(
        self, http_proxy: Run, service: Service, private_key: str, scheme: str
    ) -> None:
        proxy: HttpProxy = http_proxy("somebody:else")
        through = client(private_key, f"{scheme}://{HOST}", proxy=f"http://{USER}@127.0.0.1:{proxy.port}")
        with pytest.raises(botdesk.BotdeskError) as caught:
            through.dca_bots.disable(41)
        assert isinstance(caught.value, botdesk.ConnectionFailedError | botdesk.ApiError)
        assert service.heads == []
        assert "canary" not in everything_shown(caught.value)

    def test_a_socks_proxy_receives_the_name_of_the_host(
        self, socks_proxy: Run, service: Service, private_key: str
    ) -> None:
        proxy: SocksProxy = socks_proxy()
        through = client(private_key, f"http://{HOST}", proxy=f"socks5h://127.0.0.1:{proxy.port}")
        assert through.dca_bots.get(41).id == 41
        assert proxy.hosts == [HOST]
        assert service.heads[0].startswith("GET /public/api/ver1/bots/41/show HTTP/1.1\r\n")

    def test_a_socks_proxy_receives_the_ip_address_of_the_host(
        self, socks_proxy: Run, service: Service, private_key: str
    ) -> None:
        proxy: SocksProxy = socks_proxy()
        through = client(private_key, f"http://{THIS_MACHINE}", proxy=f"socks5://127.0.0.1:{proxy.port}")
        assert through.dca_bots.get(41).id == 41
        assert proxy.hosts == [THIS_MACHINE]
        assert len(service.heads) == 1

    def test_a_socks_proxy_receives_the_credentials(self, socks_proxy: Run, service: Service, private_key: str) -> None:
        proxy: SocksProxy = socks_proxy(USER)
        through = client(private_key, f"http://{HOST}", proxy=f"socks5h://{USER}@127.0.0.1:{proxy.port}")
        assert through.dca_bots.get(41).id == 41
        assert len(service.heads) == 1

    def test_a_socks_proxy_that_knows_somebody_else_sends_nothing_on(
        self, socks_proxy: Run, service: Service, private_key: str
    ) -> None:
        proxy: SocksProxy = socks_proxy("somebody:else")
        through = client(private_key, f"http://{HOST}", proxy=f"socks5h://{USER}@127.0.0.1:{proxy.port}")
        with pytest.raises(botdesk.ConnectionFailedError) as caught:
            through.dca_bots.disable(41)
        assert not caught.value.sent
        assert service.heads == []
        assert "canary" not in everything_shown(caught.value)

    @pytest.mark.parametrize("scheme", ["http", "socks5", "socks5h"])
    def test_a_proxy_that_is_not_there_sends_nothing(self, private_key: str, scheme: str) -> None:
        through = client(private_key, f"http://{THIS_MACHINE}", proxy=f"{scheme}://{USER}@127.0.0.1:1")
        message = f"no connection to the proxy {scheme}://127.0.0.1:1 for "
        with pytest.raises(botdesk.ConnectionFailedError, match=message) as caught:
            through.dca_bots.disable(41)
        assert not caught.value.sent
        assert "canary" not in everything_shown(caught.value)

    @pytest.mark.parametrize("proxy", ["127.0.0.1:8080", f"ftp://{USER}@host", f"http://{USER}@", "", "http://"])
    def test_a_value_that_is_not_a_url_of_a_proxy_is_rejected(self, private_key: str, proxy: str) -> None:
        with pytest.raises(botdesk.ConfigurationError) as caught:
            client(private_key, f"http://{HOST}", proxy=proxy)
        assert "canary" not in everything_shown(caught.value)


# Reads a bot, and prints its id or the error.
SCRIPT = """
import sys, botdesk
key = open(sys.argv[2]).read()
options = {"retries": 0, "rate_limit": None, "timeout": 20.0, "allow_http": True}
try:
    client = botdesk.Client("proxy-test-api-key", key, base_url=sys.argv[1], **options)
    print(client.dca_bots.get(41).id)
except botdesk.BotdeskError as error:
    print(type(error).__name__, error, vars(error))
"""


def run_script(base_url: str, environment: dict[str, str]) -> str:
    """Run the script with these environment variables for proxies."""
    names = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
    clean = {name: value for name, value in os.environ.items() if name.upper() not in names}
    command = [sys.executable, "-c", SCRIPT, base_url, "tests/fixtures/keys/rsa_2048.pem"]
    done = subprocess.run(
        command, env={**clean, **environment}, check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stderr == ""
    return done.stdout.strip()


class TestTheEnvironment:
    @pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
    def test_names_the_proxy_of_a_service_without_tls(self, http_proxy: Run, service: Service, name: str) -> None:
        proxy: HttpProxy = http_proxy(USER)
        assert run_script(f"http://{HOST}", {name: f"http://{USER}@127.0.0.1:{proxy.port}"}) == "41"
        assert (len(proxy.heads), len(service.heads)) == (1, 1)

    @pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
    def test_names_the_proxy_of_a_service_with_tls(self, http_proxy: Run, name: str) -> None:
        proxy: HttpProxy = http_proxy(USER)
        output = run_script(f"https://{HOST}", {name: f"http://{USER}@127.0.0.1:{proxy.port}"})
        assert output.startswith("ConnectionFailedError")
        assert proxy.heads[0].startswith(f"CONNECT {HOST}:443 ")
        assert "canary" not in output

    def test_may_name_a_socks_proxy(self, socks_proxy: Run, service: Service) -> None:
        proxy: SocksProxy = socks_proxy(USER)
        assert run_script(f"http://{HOST}", {"ALL_PROXY": f"socks5h://{USER}@127.0.0.1:{proxy.port}"}) == "41"
        assert (proxy.hosts, len(service.heads)) == ([HOST], 1)

    def test_names_what_goes_past_the_proxy(self, http_proxy: Run, service: Service) -> None:
        proxy: HttpProxy = http_proxy()
        environment = {"ALL_PROXY": f"http://127.0.0.1:{proxy.port}", "NO_PROXY": f"other.example,{THIS_MACHINE}"}
        assert run_script(f"http://{THIS_MACHINE}:{service.port}", environment) == "41"
        assert (proxy.heads, len(service.heads)) == ([], 1)

    def test_is_not_asked_where_the_service_runs_on_this_machine(self, http_proxy: Run, service: Service) -> None:
        proxy: HttpProxy = http_proxy()
        environment = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}", "ALL_PROXY": f"http://127.0.0.1:{proxy.port}"}
        assert run_script(f"http://127.0.0.1:{service.port}", environment) == "41"
        assert (proxy.heads, len(service.heads)) == ([], 1)

    @pytest.mark.parametrize("scheme", ["http", "socks5h"])
    def test_shows_no_password_of_a_proxy_that_is_not_there(self, scheme: str) -> None:
        output = run_script(f"http://{HOST}", {"ALL_PROXY": f"{scheme}://{USER}@127.0.0.1:1"})
        assert output.startswith(
            f"ConnectionFailedError no connection to the proxy {scheme}://127.0.0.1:1 for dca_bots.get"
        )
        assert "canary" not in output

    @pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
    @pytest.mark.parametrize("value", ["::::", "htp://127.0.0.1:1", f"http://{USER}@127.0.0.1:1:1", f"http://{USER}@"])
    def test_is_rejected_if_a_variable_is_not_the_url_of_a_proxy(self, service: Service, name: str, value: str) -> None:
        output = run_script(f"http://{THIS_MACHINE}:{service.port}", {name: value})
        assert output.startswith(f"ConfigurationError the environment variable {name} is not the URL of a proxy")
        assert "canary" not in output
        assert service.heads == []

    def test_is_rejected_by_the_first_request_of_a_client_from_the_environment(
        self, service: Service, private_key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("REQUEST_METHOD", "NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HTTPS_PROXY", f"http://{USER}@")
        monkeypatch.setenv("BOTDESK_API_KEY", "proxy-test-api-key")
        monkeypatch.setenv("BOTDESK_PRIVATE_KEY", private_key)
        monkeypatch.setenv("BOTDESK_BASE_URL", f"https://{THIS_MACHINE}:{service.port}")
        with pytest.raises(botdesk.ConfigurationError, match="HTTPS_PROXY is not the URL of a proxy") as caught:
            botdesk.Client.from_env().dca_bots.get(41)
        assert "canary" not in everything_shown(caught.value)

    def test_is_accepted_if_the_service_needs_no_proxy(self, service: Service) -> None:
        environment = {"HTTP_PROXY": "::::", "NO_PROXY": THIS_MACHINE}
        assert run_script(f"http://{THIS_MACHINE}:{service.port}", environment) == "41"
        assert run_script(f"http://127.0.0.1:{service.port}", {"HTTP_PROXY": "::::"}) == "41"

    def test_is_accepted_if_an_option_names_the_proxy(self, http_proxy: Run, private_key: str) -> None:
        proxy: HttpProxy = http_proxy()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HTTP_PROXY", "::::")
            through = client(private_key, f"http://{HOST}", proxy=f"http://127.0.0.1:{proxy.port}")
            assert through.dca_bots.get(41).id == 41


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Remove the variables of proxies from the environment of this process."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


class TestAVariableThatChanges:
    @pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
    def test_is_used_by_the_next_client(
        self, http_proxy: Run, service: Service, private_key: str, environment: pytest.MonkeyPatch, name: str
    ) -> None:
        base_url = f"http://{THIS_MACHINE}:{service.port}"
        assert client(private_key, base_url).dca_bots.get(41).id == 41
        proxy: HttpProxy = http_proxy(USER)
        environment.setenv(name, f"{USER}@127.0.0.1:{proxy.port}")
        assert client(private_key, base_url).dca_bots.get(41).id == 41
        assert len(proxy.heads) == 1
        other: HttpProxy = http_proxy()
        environment.setenv(name, f"http://127.0.0.1:{other.port}")
        assert client(private_key, base_url).dca_bots.get(41).id == 41
        assert (len(proxy.heads), len(other.heads)) == (1, 1)

    def test_is_used_by_clients_with_other_options(
        self, http_proxy: Run, service: Service, private_key: str, environment: pytest.MonkeyPatch
    ) -> None:
        first = client(private_key, f"http://{THIS_MACHINE}:{service.port}")
        assert first.dca_bots.get(41).id == 41
        proxy: HttpProxy = http_proxy()
        environment.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        assert first.with_options(max_body=1_000).dca_bots.get(41).id == 41
        assert len(proxy.heads) == 1

    def test_is_not_used_any_more_once_it_is_unset_or_excludes_the_host(
        self, http_proxy: Run, service: Service, private_key: str, environment: pytest.MonkeyPatch
    ) -> None:
        base_url = f"http://{THIS_MACHINE}:{service.port}"
        proxy: HttpProxy = http_proxy()
        environment.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        assert client(private_key, base_url).dca_bots.get(41).id == 41
        environment.setenv("NO_PROXY", THIS_MACHINE)
        assert client(private_key, base_url).dca_bots.get(41).id == 41
        environment.delenv("HTTP_PROXY")
        environment.delenv("NO_PROXY")
        assert client(private_key, base_url).dca_bots.get(41).id == 41
        assert (len(proxy.heads), len(service.heads)) == (1, 3)

    def test_leaves_the_clients_as_they_are_that_exist(
        self, http_proxy: Run, service: Service, private_key: str, environment: pytest.MonkeyPatch
    ) -> None:
        direct = client(private_key, f"http://{THIS_MACHINE}:{service.port}")
        proxy: HttpProxy = http_proxy()
        environment.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        assert direct.dca_bots.get(41).id == 41
        assert (proxy.heads, len(service.heads)) == ([], 1)

    def test_is_named_by_no_error_of_a_client_that_did_not_ask_it(
        self, private_key: str, environment: pytest.MonkeyPatch
    ) -> None:
        direct = client(private_key, f"http://{THIS_MACHINE}:1")
        environment.setenv("HTTP_PROXY", "http://127.0.0.1:2")
        through = client(private_key, f"http://{THIS_MACHINE}:1")
        environment.setenv("HTTP_PROXY", "http://127.0.0.1:3")
        with pytest.raises(botdesk.ConnectionFailedError, match=f"no connection to http://{THIS_MACHINE}:1 for "):
            direct.dca_bots.get(41)
        with pytest.raises(
            botdesk.ConnectionFailedError, match=r"no connection to the proxy http://127\.0\.0\.1:2 for "
        ):
            through.dca_bots.get(41)
