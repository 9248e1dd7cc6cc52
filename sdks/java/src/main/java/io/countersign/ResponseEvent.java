package io.countersign;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** The end of a request: a response, or an error. It contains no key. */
public final class ResponseEvent {
  private final RequestEvent request;
  private final Duration duration;
  private final Response response;
  private final Exception error;

  ResponseEvent(RequestEvent request, Duration duration, Response response, Exception error) {
    this.request = request;
    this.duration = duration;
    this.response = response;
    this.error = error;
  }

  /** {@code POST} or {@code GET}. */
  public String method() {
    return request.method();
  }

  /** {@code /api/v1/validate}, or literally {@code /api/v1/license/{key}}. */
  public String path() {
    return request.path();
  }

  /** 1, and one more for every retry. */
  public int attempt() {
    return request.attempt();
  }

  /** The HTTP status. Empty without a response. */
  public OptionalInt status() {
    return response == null ? OptionalInt.empty() : OptionalInt.of(response.status);
  }

  /** How long the request took. */
  public Duration duration() {
    return duration;
  }

  /** The server's {@code X-Request-Id}. Empty without a response. */
  public Optional<String> requestId() {
    return response == null ? Optional.empty() : Optional.ofNullable(response.requestId);
  }

  /** Why there was no response; a {@code CancellationException} if the call was cancelled. */
  public Optional<Exception> error() {
    return Optional.ofNullable(error);
  }

  @Override
  public String toString() {
    String outcome = response == null ? "error=" + error : "status=" + response.status;
    return "ResponseEvent[" + request + ", " + outcome + ", duration=" + duration + "]";
  }
}
