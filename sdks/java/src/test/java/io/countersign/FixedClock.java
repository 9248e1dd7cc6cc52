package io.countersign;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Stands still. A pause of the client moves it, and takes no time. */
final class FixedClock implements Clock {
  private long wallMillis;
  private long steadyMillis = 1_000;

  FixedClock(Instant now) {
    wallMillis = now.toEpochMilli();
  }

  synchronized void moveWall(long millis) {
    wallMillis += millis;
  }

  synchronized void moveSteady(long millis) {
    steadyMillis += millis;
  }

  /** A new process: its steady clock starts at an arbitrary time. */
  synchronized void restart() {
    steadyMillis = 7_000;
  }

  @Override
  public synchronized long wallMillis() {
    return wallMillis;
  }

  @Override
  public synchronized long steadyMillis() {
    return steadyMillis;
  }

  @Override
  public CompletableFuture<Void> after(Duration duration) {
    moveWall(duration.toMillis());
    moveSteady(duration.toMillis());
    return CompletableFuture.completedFuture(null);
  }
}
