package io.countersign;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;

/** Members of answers as what they should be; null for what is something else. */
final class Read {
  private Read() {}

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

  static Instant time(Object value) {
    if (!(value instanceof String)) return null;
    try {
      // To the millisecond, as the service says them. What cannot be counted in those is no time of the service.
      return Instant.ofEpochMilli(OffsetDateTime.parse((String) value).toInstant().toEpochMilli());
    } catch (DateTimeParseException | ArithmeticException noTime) {
      return null;
    }
  }
}
