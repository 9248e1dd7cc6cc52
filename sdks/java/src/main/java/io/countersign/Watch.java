package io.countersign;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** Validates at intervals until it is closed. It occupies no thread while it waits, and does not keep the app alive. */
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

  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);
  private static final Duration MAX_INTERVAL = Duration.ofDays(30);

  private final Supplier<CompletableFuture<ValidateResult>> validate;
  private final long intervalMillis;
  private final Listener listener;
  private final DoubleSupplier random;
  private final Executor executor;
  private final Reporter reporter;
  private ValidateResult previous;
  private volatile boolean isClosed;
  private volatile CompletableFuture<Void> timer;

  Watch(
      Supplier<CompletableFuture<ValidateResult>> validate,
      Duration interval,
      Listener listener,
      DoubleSupplier random,
      Executor executor,
      Reporter reporter) {
    if (listener == null) throw new IllegalArgumentException("listener must not be null.");
    this.validate = validate;
    this.intervalMillis = Settings.within("interval", interval, MIN_INTERVAL, MAX_INTERVAL).toMillis();
    this.listener = listener;
    this.random = random;
    this.executor = executor;
    this.reporter = reporter;
  }

  Watch start() {
    executor.execute(this::validateNow);
    return this;
  }

  /** No change is reported after this, except for one that is being reported. A request that is running completes. */
  @Override
  public void close() {
    isClosed = true;
    CompletableFuture<Void> waiting = timer;
    // Stops the timer. The task that it starts sees that the watch is closed.
    if (waiting != null) waiting.complete(null);
  }

  private void validateNow() {
    if (isClosed) return;
    validate.get().whenCompleteAsync((result, failure) -> validated(result, failure), executor);
  }

  private void validated(ValidateResult result, Throwable failure) {
    try {
      report(result, CancellableFuture.cause(failure));
    } catch (Throwable problem) {
      reporter.callbackFailed("watch", problem);
    }
    if (isClosed) return;
    double spread = 1 + JITTER * (2 * random.getAsDouble() - 1);
    timer = Clock.SYSTEM.after(Duration.ofMillis((long) (intervalMillis * spread)));
    timer.thenRunAsync(this::validateNow, executor);
    if (isClosed) timer.complete(null);
  }

  private void report(ValidateResult result, Throwable failure) {
    if (isClosed) return;
    if (failure instanceof CountersignException) {
      listener.failed((CountersignException) failure);
    } else if (failure == null) {
      ValidateResult last = previous;
      previous = result;
      boolean hasChanged =
          last == null || last.valid() != result.valid() || !last.status().equals(result.status());
      if (hasChanged) listener.changed(result, Optional.ofNullable(last));
    } else {
      reporter.callbackFailed("validate", failure);
    }
  }
}
