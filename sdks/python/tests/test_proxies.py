"""Proxies of the environment: plain requests, CONNECT tunnels, passwords and exceptions."""

from __future__ import annotations

import base64
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from countersign import ConnectionError, Countersign
from local_server import CLOSE, VALID_BODY, answer, serving
from test_https import ValidHandler, certificate, url

KEY = "ABCD-EFGH-JKMN-PQRS"
__all__ = ["ValidHandler", "certificate", "url"]


class ConnectProxy:
    """Forwards bytes between a client and the server that it asks for."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://user:pass%40word@127.0.0.1:{self.listener.getsockname()[1]}"
        self.heads: list[bytes] = []
        #: Everything that the client sent through the tunnels.
        self.forwarded = bytearray()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += connection.recv(1)
            self.heads.append(head)
            host, _, port = head.split(b" ")[1].decode().rpartition(":")
            target = socket.create_connection((host, int(port)))
            connection.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
            threading.Thread(target=self.copy, args=(connection, target, True), daemon=True).start()
            threading.Thread(target=self.copy, args=(target, connection, False), daemon=True).start()

    def copy(self, source: socket.socket, target: socket.socket, is_recorded: bool) -> None:
        try:
            while True:
                data = source.recv(65536)
                if is_recorded:
                    self.forwarded += data
                if not data:
                    target.shutdown(socket.SHUT_WR)
                    return
                target.sendall(data)
        except OSError:
            return


@pytest.fixture
def proxy() -> Iterator[ConnectProxy]:
    one = ConnectProxy()
    yield one
    try:
        one.listener.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    one.listener.close()


def test_https_requests_use_a_tunnel(
    proxy: ConnectProxy, url: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    context = ssl.create_default_context(cafile=str(certificate))
    client = Countersign("csk_test", url, ssl_context=context, cache_seconds=0)
    assert client.validate(KEY).valid and client.validate(KEY).valid
    host = url.removeprefix("https://") if hasattr(url, "removeprefix") else url[8:]
    assert all(head.startswith(f"CONNECT {host} HTTP/1.1\r\n".encode()) for head in proxy.heads)
    password = base64.b64encode(b"user:pass@word")
    assert b"Proxy-Authorization: Basic " + password in proxy.heads[0]
    # The proxy sees only encrypted bytes, and the server does not get the proxy's password.
    assert b"csk_test" not in proxy.forwarded and b"Proxy-Authorization" not in proxy.forwarded


def test_plain_requests_contain_the_whole_url(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([answer(VALID_BODY)]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("://", "://user:secret@"))
        client = Countersign("csk_test", "http://licenses.invalid/base", cache_seconds=0)
        assert client.validate(KEY).valid and client.validate(KEY).valid
        assert proxy.opened == 1
        for request in proxy.requests:
            assert request.startswith(b"POST http://licenses.invalid/base/api/v1/validate HTTP/1.1\r\n")
            assert b"\r\nHost: licenses.invalid\r\n" in request
            assert b"Proxy-Authorization: Basic " + base64.b64encode(b"user:secret") in request


@pytest.mark.parametrize("name", ["ALL_PROXY", "all_proxy", "HTTP_PROXY"])
def test_the_names_of_the_variables(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([answer(VALID_BODY)]) as proxy:
        monkeypatch.setenv(name, proxy.url)
        assert Countersign("csk_test", "http://licenses.invalid").validate(KEY).valid


@pytest.mark.parametrize("excluded", ["*", "127.0.0.1", "example.com, 127.0.0.1"])
def test_excluded_servers_are_reached_directly(excluded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", excluded)
    with serving([answer(VALID_BODY)]) as server:
        assert Countersign("csk_test", server.url).validate(KEY).valid


def test_a_socks_proxy_for_everything_is_ignored_and_a_specific_one_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving([answer(VALID_BODY)]) as server:
        monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")
        assert Countersign("csk_test", server.url).validate(KEY).valid
        monkeypatch.setenv("http_proxy", "socks5://user:secret@127.0.0.1:9")
        with pytest.raises(ConnectionError, match="socks5") as raised:
            Countersign("csk_test", server.url).validate(KEY)
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize("value", ["http://", "http://127.0.0.1:port", "http://[::1"])
def test_an_invalid_proxy_is_a_connection_error(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", value)
    with pytest.raises(ConnectionError):
        Countersign("csk_test", "http://licenses.invalid", retries=0).validate(KEY)


@pytest.mark.parametrize("response", [b"HTTP/1.1 403 Forbidden\r\n\r\n", b"", b"no HTTP\r\n\r\n", b"HTTP/1.1 200"])
def test_a_proxy_that_refuses_does_not_receive_the_api_key(response: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([response, CLOSE]) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        with pytest.raises(ConnectionError):
            Countersign("csk_test", "https://licenses.invalid").validate(KEY)
        assert all(request.startswith(b"CONNECT licenses.invalid:443 ") for request in proxy.requests)
        assert not any(b"csk_test" in request for request in proxy.requests)
