package io.countersign;

import java.util.Optional;

/** Any reason for having no verdict. A rejected license is a result, never an exception. */
public class CountersignException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String requestId;

  CountersignException(String message, String requestId, Throwable cause) {
    super(message, cause);
    this.requestId = requestId;
  }

  /** The server's {@code X-Request-Id}, by which the seller finds the request in the log. Empty without a response. */
  public Optional<String> requestId() {
    return Optional.ofNullable(requestId);
  }
}
