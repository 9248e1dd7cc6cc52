package io.countersign;

import java.util.Map;

/** How long a server asks the client to wait. */
final class RetryAfter {
  private static final long MAX_SECONDS = 86_400;
  private static final long DEFAULT_SECONDS = 60;

  private RetryAfter() {}

  /** From the header, in seconds or as a date; null if there is none that can be read. */
  static Long seconds(Response response, long wallMillis) {
    String value = response.header("retry-after").orElse("").trim();
    if (value.matches("[0-9]+")) return clamped((long) Double.parseDouble(value));
    Long untilMillis = HttpDate.millis(value, wallMillis);
    if (untilMillis == null) return null;
    // The server's own time, if it gives it: the client's clock may be wrong.
    Long serverMillis = response.header("date").map(date -> HttpDate.millis(date.trim(), wallMillis)).orElse(null);
    long startMillis = serverMillis == null ? wallMillis : serverMillis;
    return clamped(Math.floorDiv(untilMillis - startMillis + 999, 1_000L));
  }

  /** For a used up daily limit: from the header or the body, or else a minute. */
  static long secondsOfLimit(Response response, long wallMillis) {
    Long seconds = seconds(response, wallMillis);
    if (seconds != null) return seconds;
    Map<String, Object> body = Json.object(response.text());
    Object value = body == null ? null : body.get("retry_after");
    if (value instanceof Number && ((Number) value).doubleValue() > 0)
      return clamped((long) Math.ceil(((Number) value).doubleValue()));
    return DEFAULT_SECONDS;
  }

  private static long clamped(long seconds) {
    return Math.max(1, Math.min(MAX_SECONDS, seconds));
  }
}
