package io.countersign;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Calls the app's logger and hooks, and continues whatever they throw. */
final class Reporter {
  private final CountersignLogger logger;
  /** Until the next verdict, so that an outage does not fill the log. */
  private final Set<String> loggedUntilVerdict = ConcurrentHashMap.newKeySet();

  private final Set<String> loggedOnce = ConcurrentHashMap.newKeySet();

  Reporter(CountersignLogger logger) {
    this.logger = logger == null ? new CountersignLogger() {} : logger;
  }

  void retry(RequestEvent request, long pauseMillis, String reason) {
    Map<String, Object> details = details("method", request.method(), "path", request.path());
    details.put("attempt", request.attempt());
    details.put("pause_ms", pauseMillis);
    details.put("reason", reason);
    safely(() -> logger.debug("The request is sent again.", Collections.unmodifiableMap(details)));
  }

  void withoutVerdict(CountersignException problem) {
    String kind = problem.getClass().getSimpleName();
    if (!loggedUntilVerdict.add(kind)) return;
    Map<String, Object> details = details("kind", kind, "request_id", problem.requestId().orElse(null));
    warn("There is no verdict on a license: " + problem.getMessage(), details);
  }

  void graceUsed(CountersignException problem) {
    if (!loggedUntilVerdict.add("grace")) return;
    String kind = problem.getClass().getSimpleName();
    Map<String, Object> details = details("kind", kind, "request_id", problem.requestId().orElse(null));
    warn("A license is valid by its grace period, without a verdict: " + problem.getMessage(), details);
  }

  void verdict() {
    if (!loggedUntilVerdict.isEmpty()) loggedUntilVerdict.clear();
  }

  void clockSkew(long seconds) {
    if (!loggedOnce.add("clock skew")) return;
    warn("The clocks of this machine and the server differ. Check this machine's clock.", details("seconds", seconds));
  }

  void storeFailed(Throwable problem) {
    if (!loggedOnce.add("grace store")) return;
    warn("The grace store failed, so there may be no grace period.", details("error", problem));
  }

  void callbackFailed(String name, Throwable problem) {
    Map<String, Object> details = details("callback", name, "error", problem);
    safely(() -> logger.error("A callback of the app threw an exception.", Collections.unmodifiableMap(details)));
  }

  /** An exception of the callback is logged. */
  <T> void call(String name, Consumer<T> callback, T argument) {
    try {
      callback.accept(argument);
    } catch (Throwable problem) {
      callbackFailed(name, problem);
    }
  }

  private void warn(String message, Map<String, Object> details) {
    safely(() -> logger.warn(message, Collections.unmodifiableMap(details)));
  }

  private static void safely(Runnable logging) {
    try {
      logging.run();
    } catch (Throwable ignored) {
      // A broken logger must not change a verdict, and there is nowhere to report it.
    }
  }

  private static Map<String, Object> details(Object... namesAndValues) {
    Map<String, Object> details = new LinkedHashMap<>();
    for (int index = 0; index < namesAndValues.length; index += 2)
      details.put((String) namesAndValues[index], namesAndValues[index + 1]);
    return details;
  }
}
