package io.countersign;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A validation that several callers can wait for. It is cancelled when the last of them cancels. */
final class SharedRequest {
  /** Requests are numbered by the order in which they were started. */
  final long number;

  /** The comparison form of the license key. */
  final String license;

  /** Identifies calls that can share a request. */
  final String requestKey;

  private final Executor executor;
  private final CompletableFuture<ValidateResult> result = new CompletableFuture<>();
  private CompletableFuture<ValidateResult> work;
  private int callers;
  private boolean isAbandoned;

  SharedRequest(long number, String license, String requestKey, Executor executor) {
    this.number = number;
    this.license = license;
    this.requestKey = requestKey;
    this.executor = executor;
  }

  /** A future for one more caller; null if all callers have left. */
  synchronized CompletableFuture<ValidateResult> join() {
    if (isAbandoned) return null;
    callers++;
    CancellableFuture<ValidateResult> caller = new CancellableFuture<>(this::leave);
    // In a task of its own: the stages of one caller do not delay another.
    result.whenCompleteAsync(
        (value, failure) -> {
          if (failure == null) caller.complete(value);
          else caller.fail(failure);
        },
        executor);
    return caller;
  }

  /** The outcome of the work becomes that of the callers. */
  void follow(CompletableFuture<ValidateResult> work) {
    boolean isTooLate;
    synchronized (this) {
      this.work = work;
      isTooLate = isAbandoned;
    }
    if (isTooLate) work.cancel(true);
    work.whenComplete(
        (value, failure) -> {
          if (failure == null) result.complete(value);
          else result.completeExceptionally(CancellableFuture.cause(failure));
        });
  }

  private void leave() {
    CompletableFuture<ValidateResult> unused;
    synchronized (this) {
      callers--;
      if (callers > 0 || result.isDone()) return;
      isAbandoned = true;
      unused = work;
    }
    if (unused != null) unused.cancel(true);
  }
}
