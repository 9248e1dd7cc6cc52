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
final class PendingRequests {
  private static final class License {
    int requests;
    long lastFresh;
  }

  private final Executor executor;
  private final Map<String, SharedRequest> newest = new HashMap<>();
  private final Map<String, License> licenses = new HashMap<>();
  private long lastNumber;
  private long lastForgotten;

  PendingRequests(Executor executor) {
    this.executor = executor;
  }

  /** Joins the newest request, or starts one. A fresh call always starts its own. */
  CompletableFuture<ValidateResult> join(
      String license, String requestKey, boolean fresh, Function<SharedRequest, CompletableFuture<ValidateResult>> start) {
    SharedRequest shared;
    CompletableFuture<ValidateResult> caller;
    synchronized (this) {
      SharedRequest existing = fresh ? null : newest.get(requestKey);
      caller = existing == null ? null : existing.join();
      if (caller != null) return caller;
      shared = new SharedRequest(++lastNumber, license, requestKey, executor);
      caller = shared.join();
      newest.put(requestKey, shared);
      License pending = licenses.computeIfAbsent(license, name -> new License());
      pending.requests++;
      if (fresh) pending.lastFresh = shared.number;
    }
    // Outside of the lock, because it calls the app's hooks.
    try {
      shared.follow(start.apply(shared));
    } catch (RuntimeException | Error notStarted) {
      end(shared);
      shared.follow(CompletableFuture.failedFuture(notStarted));
    }
    return caller;
  }

  /** Whether the answer may be cached and recorded. */
  synchronized boolean isCurrent(SharedRequest shared) {
    License pending = licenses.get(shared.license);
    return shared.number > lastForgotten && pending != null && shared.number >= pending.lastFresh;
  }

  /** Runs the action unless the request is out of date, in which case nothing can make it current again. */
  synchronized void ifCurrent(SharedRequest shared, Runnable action) {
    if (isCurrent(shared)) action.run();
  }

  /** After the last trace of the request. Must be called once for every request. */
  synchronized void end(SharedRequest shared) {
    newest.remove(shared.requestKey, shared);
    License pending = licenses.get(shared.license);
    if (--pending.requests == 0) licenses.remove(shared.license);
  }

  synchronized void forget(Runnable clear) {
    lastForgotten = lastNumber;
    newest.clear();
    clear.run();
  }
}
