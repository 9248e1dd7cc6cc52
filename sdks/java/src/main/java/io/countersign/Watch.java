package io.countersign;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** Validates at intervals until it is closed. Does not keep the app alive. */
public final class Watch implements AutoCloseable {
  /** Receives the changes that a watch reports. */
  public interface Listener {
    /** Called with the first verdict, and after every change. */
    void changed(ValidateResult result, Optional<ValidateResult> previous);

    /** Called if there was no verdict. The next attempt follows after the interval. */
    default void failed(CountersignException problem) {}
  }

  /** Random jitter, so that apps started together do not send requests together. */
  private static final double JITTER = 0.1;

  /** Longer intervals would overflow. */
  private static final Duration MAX_INTERVAL = Duration.ofDays(365);

  private final CountDownLatch closed = new CountDownLatch(1);

  Watch(Supplier<ValidateResult> validate, Duration interval, Listener listener, DoubleSupplier random) {
    if (interval == null || interval.compareTo(Duration.ofSeconds(1)) < 0)
      throw new IllegalArgumentException("interval must be at least one second.");
    if (listener == null) throw new IllegalArgumentException("listener must not be null.");
    long millis = (interval.compareTo(MAX_INTERVAL) > 0 ? MAX_INTERVAL : interval).toMillis();
    Thread thread = new Thread(() -> run(validate, millis, listener, random), "countersign-watch");
    thread.setDaemon(true);
    thread.start();
  }

  /** No change is reported after this. A request that is already running completes. */
  @Override
  public void close() {
    closed.countDown();
  }

  private void run(
      Supplier<ValidateResult> validate, long intervalMillis, Listener listener, DoubleSupplier random) {
    ValidateResult previous = null;
    try {
      while (closed.getCount() > 0) {
        try {
          ValidateResult result = validate.get();
          boolean hasChanged =
              previous == null || previous.valid() != result.valid() || !previous.status().equals(result.status());
          Optional<ValidateResult> last = Optional.ofNullable(previous);
          if (hasChanged) report(() -> listener.changed(result, last));
          previous = result;
        } catch (CountersignException problem) {
          report(() -> listener.failed(problem));
        }
        double spread = 1 + JITTER * (2 * random.getAsDouble() - 1);
        if (closed.await((long) (intervalMillis * spread), TimeUnit.MILLISECONDS)) return;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** An exception of the listener goes to the uncaught exception handler, and does not end the watch. */
  private void report(Runnable callback) {
    if (closed.getCount() == 0) return;
    try {
      callback.run();
    } catch (RuntimeException problem) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, problem);
    }
  }
}
