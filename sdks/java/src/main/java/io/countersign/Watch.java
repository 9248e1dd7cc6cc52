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

  private final CountDownLatch closed = new CountDownLatch(1);

  Watch(Supplier<ValidateResult> validate, Duration interval, Listener listener, DoubleSupplier random) {
    if (interval.compareTo(Duration.ofSeconds(1)) < 0)
      throw new IllegalArgumentException("interval should be a second or more.");
    Thread thread = new Thread(() -> run(validate, interval, listener, random), "countersign-watch");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    closed.countDown();
  }

  private void run(
      Supplier<ValidateResult> validate, Duration interval, Listener listener, DoubleSupplier random) {
    ValidateResult before = null;
    try {
      while (closed.getCount() > 0) {
        try {
          ValidateResult result = validate.get();
          boolean isOther =
              before == null || before.valid() != result.valid() || !before.status().equals(result.status());
          if (isOther && closed.getCount() > 0) listener.changed(result, Optional.ofNullable(before));
          before = result;
        } catch (CountersignException problem) {
          if (closed.getCount() > 0) listener.failed(problem);
        }
        double spread = 1 + JITTER * (2 * random.getAsDouble() - 1);
        if (closed.await((long) (interval.toMillis() * spread), TimeUnit.MILLISECONDS)) return;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
