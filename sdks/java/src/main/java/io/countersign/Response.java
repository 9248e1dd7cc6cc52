package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.http.HttpHeaders;
import java.util.Optional;

/** A response, with its whole body. */
final class Response {
  final int status;
  final HttpHeaders headers;
  final byte[] body;
  final String requestId;

  Response(int status, HttpHeaders headers, byte[] body) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.requestId = headers.firstValue("x-request-id").orElse(null);
  }

  Optional<String> header(String name) {
    return headers.firstValue(name);
  }

  String text() {
    return new String(body, UTF_8);
  }

  boolean isFromSandbox() {
    return header("x-countersign-sandbox").filter("true"::equals).isPresent();
  }

  RateLimit rateLimit() {
    return RateLimit.read(header("ratelimit-policy").orElse(null), header("ratelimit").orElse(null));
  }
}
