package io.countersign;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The time, in the two ways that differ if someone sets the clock. Tests provide their own. */
interface Clock {
  Clock SYSTEM =
      new Clock() {
        @Override
        public long wallMillis() {
          return System.currentTimeMillis();
        }

        @Override
        public long steadyMillis() {
          return System.nanoTime() / 1_000_000;
        }

        @Override
        public CompletableFuture<Void> after(Duration duration) {
          return new CompletableFuture<Void>().completeOnTimeout(null, duration.toMillis(), TimeUnit.MILLISECONDS);
        }
      };

  /** The wall clock. It can jump. */
  long wallMillis();

  /** The monotonic clock, since an arbitrary start. It never goes back. */
  long steadyMillis();

  /** Completes after this time, without blocking a thread. Completing it earlier stops the timer. */
  CompletableFuture<Void> after(Duration duration);
}
