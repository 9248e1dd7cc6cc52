package io.countersign;

import java.time.Instant;

/** Blocks requests after a 429, until the daily limit resets. */
final class RateLimitGate {
  private final Clock clock;
  private long untilSteadyMillis;
  private boolean isClosed;
  private ErrorDetails details;

  RateLimitGate(Clock clock) {
    this.clock = clock;
  }

  /** The exception while the limit is used up; null if requests may be sent. */
  synchronized RateLimitException exception() {
    long leftMillis = untilSteadyMillis - clock.steadyMillis();
    if (isClosed && leftMillis > 0) return exception((leftMillis + 999) / 1_000, details);
    isClosed = false;
    return null;
  }

  synchronized void close(long retryAfterSeconds, ErrorDetails details) {
    isClosed = true;
    untilSteadyMillis = clock.steadyMillis() + retryAfterSeconds * 1_000;
    this.details = details.onlyRequestId();
  }

  RateLimitException exception(long seconds, ErrorDetails details) {
    return new RateLimitException(seconds, Instant.ofEpochMilli(clock.wallMillis() + seconds * 1_000), details);
  }
}
