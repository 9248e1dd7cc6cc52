package io.countersign;

import java.time.Instant;

/** Blocks requests after a 429, until the daily limit resets. */
final class RateLimitGate {
  private final Clock clock;
  private long untilSteadyMillis;
  private boolean isClosed;
  private String requestId;

  RateLimitGate(Clock clock) {
    this.clock = clock;
  }

  /** Throws while the limit is used up. */
  synchronized void check() {
    long leftMillis = untilSteadyMillis - clock.steadyMillis();
    if (isClosed && leftMillis > 0) throw exception((leftMillis + 999) / 1_000, requestId);
    isClosed = false;
  }

  synchronized void close(long retryAfterSeconds, String requestId) {
    isClosed = true;
    untilSteadyMillis = clock.steadyMillis() + retryAfterSeconds * 1_000;
    this.requestId = requestId;
  }

  RateLimitException exception(long seconds, String requestId) {
    return new RateLimitException(
        seconds, Instant.ofEpochMilli(clock.wallMillis() + seconds * 1_000), requestId);
  }
}
