package io.countersign;

import java.time.Duration;

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
        public void sleep(Duration duration) throws InterruptedException {
          Thread.sleep(duration.toMillis());
        }
      };

  /** The wall clock. It can jump. */
  long wallMillis();

  /** The monotonic clock, since an arbitrary start. It never goes back. */
  long steadyMillis();

  void sleep(Duration duration) throws InterruptedException;
}
