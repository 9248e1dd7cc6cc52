package io.countersign;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.Map;

/** Reads members of a response as a certain type; null if they have another type. */
final class JsonValues {
  private JsonValues() {}

  static String text(Object value) {
    return value instanceof String ? (String) value : null;
  }

  static Boolean flag(Object value) {
    return value instanceof Boolean ? (Boolean) value : null;
  }

  static Integer number(Object value) {
    if (!(value instanceof Number)) return null;
    long number = ((Number) value).longValue();
    return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number));
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return value instanceof Map ? Collections.unmodifiableMap((Map<String, Object>) value) : null;
  }

  static Instant time(Object value) {
    if (!(value instanceof String)) return null;
    try {
      // Truncated to milliseconds, the server's precision. A time that overflows them is not from the server.
      return Instant.ofEpochMilli(OffsetDateTime.parse((String) value).toInstant().toEpochMilli());
    } catch (DateTimeParseException | ArithmeticException notATime) {
      return null;
    }
  }
}
