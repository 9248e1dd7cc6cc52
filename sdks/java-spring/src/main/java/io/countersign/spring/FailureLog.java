package io.countersign.spring;

import io.countersign.AuthenticationException;
import io.countersign.CountersignException;
import io.countersign.SandboxException;
import io.countersign.ValidateResult;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/** Logs each kind of failure once until there is a verdict again, so that an outage does not fill the log. */
final class FailureLog {
  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final int MAX_LIMIT_LINES_PER_MINUTE = 10;

  private final Logger logger;
  private final LongSupplier nanos;
  private final Set<String> logged = new HashSet<>();
  /** When the limit of a caller was logged last. */
  private final Map<String, Long> limitLoggedNanos = new HashMap<>();

  FailureLog(Logger logger, LongSupplier nanos) {
    this.logger = logger;
    this.nanos = nanos;
  }

  /** A verdict of the server ends the failure. One of the cache says nothing about the server. */
  void recordVerdict(ValidateResult result) {
    if (result.source() == ValidateResult.Source.SERVER) {
      synchronized (this) {
        logged.clear();
      }
    }
    if (result.source() == ValidateResult.Source.GRACE && isFirst("grace"))
      quietly(
          () -> logger.warn("Licenses cannot be validated. Known licenses are accepted in their grace period."));
  }

  void recordFailure(CountersignException problem) {
    String kind = problem.getClass().getSimpleName();
    if (!isFirst(kind)) return;
    String text = "Licenses cannot be validated. {} ({}, request ID {})";
    String requestId = problem.requestId().orElse("none");
    quietly(
        () -> {
          if (Refusal.isMisconfiguration(problem)) logger.error(text, remedy(problem), kind, requestId);
          else logger.warn(text, problem.getMessage(), kind, requestId);
        });
  }

  void recordLimit(String caller) {
    synchronized (this) {
      long now = nanos.getAsLong();
      limitLoggedNanos.values().removeIf(at -> now - at >= MINUTE_NANOS);
      boolean isLogged = limitLoggedNanos.containsKey(caller);
      if (isLogged || limitLoggedNanos.size() >= MAX_LIMIT_LINES_PER_MINUTE) return;
      limitLoggedNanos.put(caller, now);
    }
    // LicenseRequestReader.address can return any text, such as one with line breaks.
    String from = caller.isEmpty() ? "callers without an IP address" : caller.replaceAll("[^ -~]", "?");
    quietly(() -> logger.warn("Too many unknown license keys from {}: further ones get 429.", from));
  }

  private synchronized boolean isFirst(String kind) {
    return logged.add(kind);
  }

  private static String remedy(CountersignException problem) {
    if (problem instanceof AuthenticationException)
      return "The server rejected the API key: set countersign.api-key to the product's current API key.";
    if (problem instanceof SandboxException)
      return "The API key or the response is from the sandbox: use the product's API key, or set"
          + " countersign.allow-sandbox in tests only.";
    return problem.getMessage();
  }

  /** A logger that fails never affects a request. */
  private static void quietly(Runnable log) {
    try {
      log.run();
    } catch (RuntimeException failing) {
      // There is nowhere to report it.
    }
  }
}
