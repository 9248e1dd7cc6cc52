"""A server with a self-signed certificate, called by clients that trust the certificate and by others."""

from __future__ import annotations

import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from countersign import ConnectionError, Countersign
from local_server import VALID_BODY

KEY = "ABCD-EFGH-JKMN-PQRS"


class ValidHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        connections.append(self.client_address)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        received_paths.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(VALID_BODY)))
        self.end_headers()
        self.wfile.write(VALID_BODY)

    def log_message(self, format: str, *_: object) -> None:
        pass


received_paths: list[str] = []
connections: list[object] = []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("https")
    options = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout key.pem -out certificate.pem"
    )
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(["openssl", *options.split(), *subject], cwd=folder, check=True, capture_output=True)
    return folder / "certificate.pem"


@pytest.fixture(scope="module")
def url(certificate: Path) -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), ValidHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_self_signed_certificate_is_trusted_if_the_ssl_context_contains_it(url: str, certificate: Path) -> None:
    context = ssl.create_default_context(cafile=str(certificate))
    assert Countersign("csk_test", url, ssl_context=context).validate(KEY).valid


def test_tls_connections_are_kept_open(url: str, certificate: Path) -> None:
    context = ssl.create_default_context(cafile=str(certificate))
    with Countersign("csk_test", url, ssl_context=context, cache_seconds=0) as client:
        before = len(connections)
        for _ in range(5):
            assert client.validate(KEY).valid
        assert len(connections) == before + 1


def test_an_untrusted_certificate_is_a_connection_error_and_the_api_key_is_not_sent(url: str) -> None:
    before = len(received_paths)
    with pytest.raises(ConnectionError, match="(?i)certificate"):
        Countersign("csk_test", url).validate(KEY)
    assert len(received_paths) == before
