package io.countersign;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** Asks at intervals until it is closed. Does not keep the app alive. */
public final class Watch implements AutoCloseable {
  /** Is told what a watch finds. */
  public interface Listener {
    /** Called with the first verdict, and with each that differs from the one before. */
    void changed(ValidateResult result, Optional<ValidateResult> before);

    /** Called when there was no verdict. It is asked for again after the interval. */
    default void failed(CountersignException problem) {}
  }

  /** Many apps that were started together do not all ask together. */
  private static final double JITTER = 0.1;

  /** Whoever says more means never again. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final CountDownLatch closed = new CountDownLatch(1);

  Watch(Supplier<ValidateResult> validate, Duration interval, Listener listener, DoubleSupplier random) {
    if (interval == null || interval.compareTo(Duration.ofSeconds(1)) < 0)
      throw new IllegalArgumentException("interval should be a second or more.");
    if (listener == null) throw new IllegalArgumentException("listener should be told what is found.");
    long millis = (interval.compareTo(LONGEST) > 0 ? LONGEST : interval).toMillis();
    Thread thread = new Thread(() -> run(validate, millis, listener, random), "countersign-watch");
    thread.setDaemon(true);
    thread.start();
  }

  /** Nothing is told after this, though a question that is under way may still come to its end. */
  @Override
  public void close() {
    closed.countDown();
  }

  private void run(
      Supplier<ValidateResult> validate, long intervalMillis, Listener listener, DoubleSupplier random) {
    ValidateResult before = null;
    try {
      while (closed.getCount() > 0) {
        try {
          ValidateResult result = validate.get();
          boolean isOther =
              before == null || before.valid() != result.valid() || !before.status().equals(result.status());
          Optional<ValidateResult> last = Optional.ofNullable(before);
          if (isOther) tell(() -> listener.changed(result, last));
          before = result;
        } catch (CountersignException problem) {
          tell(() -> listener.failed(problem));
        }
        double spread = 1 + JITTER * (2 * random.getAsDouble() - 1);
        if (closed.await((long) (intervalMillis * spread), TimeUnit.MILLISECONDS)) return;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What a listener throws is reported as in any thread, and does not end the watch: a license would go unwatched. */
  private void tell(Runnable news) {
    if (closed.getCount() == 0) return;
    try {
      news.run();
    } catch (RuntimeException problem) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, problem);
    }
  }
}
