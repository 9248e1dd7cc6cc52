package io.countersign;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads members of a response as a certain type; null if they have another type. */
final class JsonValues {
  private static final Pattern RFC_3339 =
      Pattern.compile(
          "[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?"
              + "(Z|[+-](0[0-9]|1[0-7]):[0-5][0-9])");

  private JsonValues() {}

  static String text(Object value) {
    return value instanceof String ? (String) value : null;
  }

  static Boolean flag(Object value) {
    return value instanceof Boolean ? (Boolean) value : null;
  }

  /** Null for none. The value must be one that {@link #isCount} accepts. */
  static Integer count(Object value) {
    return value == null ? null : Integer.valueOf(((Number) value).intValue());
  }

  /** Whether it is a count, in any notation of JSON, or null: one that cannot be read must not become "no limit". */
  static boolean isCount(Object value) {
    if (value == null) return true;
    double number = value instanceof Number ? ((Number) value).doubleValue() : -1;
    return number >= 0 && number <= Integer.MAX_VALUE && number == Math.rint(number);
  }

  /** Whether it is a time, or null: one that cannot be read must not become "never". */
  static boolean isTime(Object value) {
    return value == null || time(value) != null;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return value instanceof Map ? Collections.unmodifiableMap((Map<String, Object>) value) : null;
  }

  /** From RFC 3339; null for anything else, and for days that do not exist. */
  static Instant time(Object value) {
    if (!(value instanceof String) || !RFC_3339.matcher((String) value).matches()) return null;
    try {
      // Truncated to milliseconds, the server's precision.
      return OffsetDateTime.parse((String) value).toInstant().truncatedTo(ChronoUnit.MILLIS);
    } catch (DateTimeParseException noSuchTime) {
      return null;
    }
  }
}
