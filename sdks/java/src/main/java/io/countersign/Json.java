package io.countersign;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small JSON parser and writer, so that the SDK needs no other library. */
final class Json {
  /** No Countersign response is nested deeper. The limit protects the stack. */
  private static final int MAX_DEPTH = 100;

  private final String text;
  private int position;

  private Json(String text) {
    this.text = text;
  }

  /** Maps, lists, strings, booleans, longs, doubles and null. Throws an {@link IllegalArgumentException}. */
  static Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value(0);
    json.skipSpace();
    if (json.position < text.length()) throw json.syntaxError();
    return value;
  }

  /** Null if the text is not a JSON object. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> object(String text) {
    try {
      Object value = parse(text);
      return value instanceof Map ? (Map<String, Object>) value : null;
    } catch (IllegalArgumentException notJson) {
      return null;
    }
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof Map) {
      String separator = "{";
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        out.append(separator);
        quote(String.valueOf(entry.getKey()), out);
        out.append(':');
        write(entry.getValue(), out);
        separator = ",";
      }
      out.append(separator.equals("{") ? "{}" : "}");
    } else if (value instanceof List) {
      String separator = "[";
      for (Object one : (List<?>) value) {
        out.append(separator);
        write(one, out);
        separator = ",";
      }
      out.append(separator.equals("[") ? "[]" : "]");
    } else if (value instanceof String) {
      quote((String) value, out);
    } else {
      boolean isNotFinite = value instanceof Double && !Double.isFinite((Double) value);
      out.append(isNotFinite ? null : value);
    }
  }

  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int index = 0; index < text.length(); index++) {
      char character = text.charAt(index);
      if (character == '"' || character == '\\') out.append('\\').append(character);
      else if (character < ' ' || isUnpairedSurrogate(text, index))
        out.append(String.format("\\u%04x", (int) character));
      else out.append(character);
    }
    out.append('"');
  }

  /** An unpaired surrogate cannot be encoded in UTF-8: unescaped, it would be sent as a question mark. */
  private static boolean isUnpairedSurrogate(String text, int index) {
    char character = text.charAt(index);
    if (Character.isHighSurrogate(character))
      return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
    return Character.isLowSurrogate(character) && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
  }

  private Object value(int depth) {
    if (depth > MAX_DEPTH) throw syntaxError();
    skipSpace();
    switch (peek()) {
      case '{':
        return members(depth);
      case '[':
        return elements(depth);
      case '"':
        return string();
      case 't':
        return literal("true", Boolean.TRUE);
      case 'f':
        return literal("false", Boolean.FALSE);
      case 'n':
        return literal("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> members(int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    position++;
    skipSpace();
    if (accept('}')) return Map.of();
    do {
      skipSpace();
      if (peek() != '"') throw syntaxError();
      String name = string();
      skipSpace();
      if (!accept(':')) throw syntaxError();
      members.put(name, value(depth + 1));
      skipSpace();
    } while (accept(','));
    if (!accept('}')) throw syntaxError();
    // Callers share cached results, so none of them may change one.
    return Collections.unmodifiableMap(members);
  }

  private List<Object> elements(int depth) {
    List<Object> elements = new ArrayList<>();
    position++;
    skipSpace();
    if (accept(']')) return List.of();
    do {
      elements.add(value(depth + 1));
      skipSpace();
    } while (accept(','));
    if (!accept(']')) throw syntaxError();
    return Collections.unmodifiableList(elements);
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    position++;
    while (true) {
      char character = next();
      if (character == '"') return out.toString();
      if (character < ' ') throw syntaxError();
      out.append(character == '\\' ? escaped() : character);
    }
  }

  private char escaped() {
    char character = next();
    switch (character) {
      case '"':
      case '\\':
      case '/':
        return character;
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        int code = 0;
        for (int digit = 0; digit < 4; digit++) {
          char one = next();
          // Java knows digits of other scripts too, and JSON does not.
          int value = one < 128 ? Character.digit(one, 16) : -1;
          if (value < 0) throw syntaxError();
          code = code * 16 + value;
        }
        return (char) code;
      default:
        throw syntaxError();
    }
  }

  private Object number() {
    int start = position;
    while (position < text.length() && "+-.0123456789eE".indexOf(text.charAt(position)) >= 0) position++;
    String digits = text.substring(start, position);
    if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) throw syntaxError();
    if (digits.matches("-?[0-9]{1,18}")) return Long.valueOf(digits);
    Double value = Double.valueOf(digits);
    // No Countersign sends a number that is too large for a double, and other languages do not read it.
    if (value.isInfinite()) throw syntaxError();
    return value;
  }

  private Object literal(String word, Object value) {
    if (!text.startsWith(word, position)) throw syntaxError();
    position += word.length();
    return value;
  }

  private void skipSpace() {
    while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) position++;
  }

  private boolean accept(char character) {
    if (position >= text.length() || text.charAt(position) != character) return false;
    position++;
    return true;
  }

  private char peek() {
    if (position >= text.length()) throw syntaxError();
    return text.charAt(position);
  }

  private char next() {
    char character = peek();
    position++;
    return character;
  }

  private IllegalArgumentException syntaxError() {
    return new IllegalArgumentException("The text is not valid JSON at character " + position + ".");
  }
}
