package io.countersign;

import java.time.Instant;

/** Once the server has said that the day's limit is used up, asking again is of no use until it is over. */
final class Latch {
  private final Clock clock;
  private long untilSteadyMillis;
  private boolean isShut;
  private String requestId;

  Latch(Clock clock) {
    this.clock = clock;
  }

  /** Throws while it is shut. */
  synchronized void check() {
    long leftMillis = untilSteadyMillis - clock.steadyMillis();
    if (isShut && leftMillis > 0) throw exception((leftMillis + 999) / 1_000);
    isShut = false;
  }

  /** Shuts it, and returns what to throw. */
  synchronized RateLimitException shut(long retryAfterSeconds, String requestId) {
    isShut = true;
    untilSteadyMillis = clock.steadyMillis() + retryAfterSeconds * 1_000;
    this.requestId = requestId;
    return exception(retryAfterSeconds);
  }

  private RateLimitException exception(long seconds) {
    return new RateLimitException(
        seconds, Instant.ofEpochMilli(clock.wallMillis() + seconds * 1_000), requestId);
  }
}
