package io.countersign;

import java.time.Duration;
import java.util.Optional;

/** The server's response was unusable. */
public class ServerException extends CountersignException {
  private static final long serialVersionUID = 2L;
  private final int status;
  private final Long retryAfterSeconds;

  ServerException(String message, int status, Long retryAfterSeconds, ErrorDetails details) {
    super(message, details, null);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The HTTP status of the response. */
  public int status() {
    return status;
  }

  /** How long the server asked to wait, in its {@code Retry-After} header. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfterSeconds).map(Duration::ofSeconds);
  }
}
