package io.countersign;

import java.time.Duration;
import java.time.Instant;

/** The product's daily limit is used up. Until {@link #resetAt()} no further call leaves this process. */
public class RateLimitException extends CountersignException {
  private static final long serialVersionUID = 1L;
  private final long retryAfterSeconds;
  private final Instant resetAt;

  RateLimitException(long retryAfterSeconds, Instant resetAt, String requestId) {
    super(
        "The product's daily limit is used up. It starts anew in " + retryAfterSeconds + " seconds.",
        requestId,
        null);
    this.retryAfterSeconds = retryAfterSeconds;
    this.resetAt = resetAt;
  }

  /** How long it is until then. */
  public Duration retryAfter() {
    return Duration.ofSeconds(retryAfterSeconds);
  }

  /** When the limit starts anew. */
  public Instant resetAt() {
    return resetAt;
  }
}
