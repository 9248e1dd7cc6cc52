package io.countersign;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The validations that are waiting for the server. An answer that was requested before {@code forget}, or before a
 * fresh call for the same license, is out of date: those who waited for it get it, and it leaves no trace.
 */
final class PendingCalls {
  private static final class License {
    int calls;
    long lastFresh;
  }

  private final Executor executor;
  private final Map<String, SharedCall> newest = new HashMap<>();
  private final Map<String, License> licenses = new HashMap<>();
  private long lastNumber;
  private long lastForgotten;

  PendingCalls(Executor executor) {
    this.executor = executor;
  }

  /** Joins the newest call, or starts one. A fresh call always starts its own. */
  CompletableFuture<ValidateResult> join(
      String license, String requestKey, boolean fresh, Function<SharedCall, CompletableFuture<ValidateResult>> start) {
    SharedCall call;
    CompletableFuture<ValidateResult> caller;
    synchronized (this) {
      SharedCall existing = fresh ? null : newest.get(requestKey);
      caller = existing == null ? null : existing.join();
      if (caller != null) return caller;
      call = new SharedCall(++lastNumber, license, requestKey, executor);
      caller = call.join();
      newest.put(requestKey, call);
      License pending = licenses.computeIfAbsent(license, name -> new License());
      pending.calls++;
      if (fresh) pending.lastFresh = call.number;
    }
    // Outside of the lock, because it calls the app's hooks.
    try {
      call.follow(start.apply(call));
    } catch (RuntimeException | Error notStarted) {
      end(call);
      call.follow(CompletableFuture.failedFuture(notStarted));
    }
    return caller;
  }

  /** Whether the answer may be cached and recorded. */
  synchronized boolean isCurrent(SharedCall call) {
    License pending = licenses.get(call.license);
    return call.number > lastForgotten && pending != null && call.number >= pending.lastFresh;
  }

  /** Runs the action unless the call is out of date, in which case nothing can make it current again. */
  synchronized void ifCurrent(SharedCall call, Runnable action) {
    if (isCurrent(call)) action.run();
  }

  /** After the last trace of the call. Must be called once for every call. */
  synchronized void end(SharedCall call) {
    newest.remove(call.requestKey, call);
    License pending = licenses.get(call.license);
    if (--pending.calls == 0) licenses.remove(call.license);
  }

  synchronized void forget(Runnable clear) {
    lastForgotten = lastNumber;
    newest.clear();
    clear.run();
  }
}
