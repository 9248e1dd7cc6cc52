package io.countersign;

import java.time.Duration;
import java.time.Instant;

/** The product's daily limit is used up. This process sends no further request until {@link #resetAt()}. */
public class RateLimitException extends CountersignException {
  private static final long serialVersionUID = 2L;
  private final long retryAfterSeconds;
  private final Instant resetAt;

  RateLimitException(long retryAfterSeconds, Instant resetAt, ErrorDetails details) {
    super("The product's daily limit is used up. It resets in " + retryAfterSeconds + " seconds.", details, null);
    this.retryAfterSeconds = retryAfterSeconds;
    this.resetAt = resetAt;
  }

  /** How long it takes until the limit resets. */
  public Duration retryAfter() {
    return Duration.ofSeconds(retryAfterSeconds);
  }

  /** When the limit resets. */
  public Instant resetAt() {
    return resetAt;
  }
}
