package io.countersign;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** A future whose cancellation reaches the work behind it. */
final class CancellableFuture<T> extends CompletableFuture<T> {
  /** Turns the outcome of one future into that of the next. The failure is null if there is a value. */
  interface Step<S, T> {
    T apply(S value, Throwable failure) throws Throwable;
  }

  private final Runnable onCancel;
  private final AtomicBoolean hasCancelled = new AtomicBoolean();

  CancellableFuture(Runnable onCancel) {
    this.onCancel = onCancel;
  }

  /** The step's outcome, after the source's and in its thread. Cancelling it cancels the source. */
  static <S, T> CancellableFuture<T> after(CompletableFuture<S> source, Step<S, T> step) {
    CancellableFuture<T> next = new CancellableFuture<>(() -> source.cancel(true));
    source.whenComplete(
        (value, failure) -> {
          try {
            next.complete(step.apply(value, cause(failure)));
          } catch (Throwable problem) {
            next.fail(problem);
          }
        });
    return next;
  }

  /** The failure itself, without the exception that futures wrap it in. */
  static Throwable cause(Throwable failure) {
    boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
    return isWrapped ? failure.getCause() : failure;
  }

  /**
   * Completes with a wrapped failure, as the stages of a future do. A handler thus finds the SDK's exception as the
   * cause, whether it is attached to this future or to a stage of it.
   */
  void fail(Throwable failure) {
    boolean isFinal = failure instanceof CompletionException || failure instanceof CancellationException;
    completeExceptionally(isFinal ? failure : new CompletionException(failure));
  }

  static <T> CancellableFuture<T> failed(Throwable failure) {
    CancellableFuture<T> failed = new CancellableFuture<>(() -> {});
    failed.fail(failure);
    return failed;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean isCancelled = super.cancel(mayInterruptIfRunning);
    if (isCancelled && hasCancelled.compareAndSet(false, true)) onCancel.run();
    return isCancelled;
  }
}
