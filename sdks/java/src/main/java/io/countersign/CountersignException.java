package io.countersign;

import java.util.Optional;

/** Whatever keeps the client from giving a verdict. A license that is refused is a result, never an exception. */
public class CountersignException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String requestId;

  CountersignException(String message, String requestId, Throwable cause) {
    super(message, cause);
    this.requestId = requestId;
  }

  /** The server's {@code X-Request-Id}: the seller finds the request in the log by it. Empty when no answer came. */
  public Optional<String> requestId() {
    return Optional.ofNullable(requestId);
  }
}
