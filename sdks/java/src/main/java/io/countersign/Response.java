package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.http.HttpHeaders;
import java.util.Map;
import java.util.Optional;

/** A response, with its whole body. */
final class Response {
  /** Why a Countersign refuses requests, by HTTP status. */
  private static final Map<Integer, String> REFUSALS = Map.of(401, "invalid_api_key", 429, "rate_limit_exceeded");

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

  /** Whether a 401 or 429 is from a Countersign. A proxy or firewall in front of it sends others. */
  boolean isRefusal() {
    String refusal = REFUSALS.get(status);
    Map<String, Object> content = refusal == null ? null : Json.object(text());
    return content != null && refusal.equals(content.get("status"));
  }

  boolean isFromSandbox() {
    return header("x-countersign-sandbox").filter("true"::equals).isPresent();
  }

  RateLimit rateLimit() {
    return RateLimit.read(header("ratelimit-policy").orElse(null), header("ratelimit").orElse(null));
  }
}
