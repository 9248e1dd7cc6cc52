package io.countersign;

import java.time.Duration;

/** What time it is, in the two ways that differ when somebody sets the clock. Tests bring their own. */
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

  /** What the wall says. It may jump. */
  long wallMillis();

  /** How long it has been since whenever. It never goes back. */
  long steadyMillis();

  void sleep(Duration duration) throws InterruptedException;
}
