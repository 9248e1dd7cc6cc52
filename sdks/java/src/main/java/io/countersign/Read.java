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
    return value instanceof Number ? (Integer) ((Number) value).intValue() : null;
  }

  static Instant time(Object value) {
    if (!(value instanceof String)) return null;
    try {
      return OffsetDateTime.parse((String) value).toInstant();
    } catch (DateTimeParseException noTime) {
      return null;
    }
  }
}
