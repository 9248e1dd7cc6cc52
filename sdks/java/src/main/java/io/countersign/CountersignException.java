package io.countersign;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Any reason for having no verdict. A rejected license is a result, never an exception. No part of an exception
 * contains the API key or the license key that was sent.
 */
public class CountersignException extends RuntimeException {
  private static final long serialVersionUID = 2L;
  private final ErrorDetails details;

  CountersignException(String message, ErrorDetails details, Throwable cause) {
    super(message, cause);
    this.details = details;
  }

  /** The server's {@code X-Request-Id}, by which the seller finds the request in the log. Empty without a response. */
  public Optional<String> requestId() {
    return Optional.ofNullable(details.requestId);
  }

  /** The HTTP status of the response. Empty without a response. */
  public OptionalInt httpStatus() {
    return details.status == null ? OptionalInt.empty() : OptionalInt.of(details.status);
  }

  /** The headers of the response, with lower-case names. Empty without a response. */
  public Map<String, String> headers() {
    return Collections.unmodifiableMap(details.headers);
  }

  /** The beginning of the response's body, at most 4,096 characters. Empty without a response. */
  public Optional<String> body() {
    return Optional.ofNullable(details.body);
  }
}
