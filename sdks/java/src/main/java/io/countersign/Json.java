package io.countersign;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much of JSON as answers need, so that an app gets no other library with this one. */
final class Json {
  /** Deeper than anything the service sends; what is deeper only wants to use up the stack. */
  private static final int DEEPEST = 100;

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Maps, lists, strings, booleans, longs, doubles and null. Throws an {@link IllegalArgumentException}. */
  static Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value(0);
    json.space();
    if (json.at < text.length()) throw json.wrong();
    return value;
  }

  /** Null for what is no object. */
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
      String between = "{";
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        out.append(between);
        quote(String.valueOf(entry.getKey()), out);
        out.append(':');
        write(entry.getValue(), out);
        between = ",";
      }
      out.append(between.equals("{") ? "{}" : "}");
    } else if (value instanceof List) {
      String between = "[";
      for (Object one : (List<?>) value) {
        out.append(between);
        write(one, out);
        between = ",";
      }
      out.append(between.equals("[") ? "[]" : "]");
    } else if (value instanceof String) {
      quote((String) value, out);
    } else {
      boolean isNone = value instanceof Double && !Double.isFinite((Double) value);
      out.append(isNone ? null : value);
    }
  }

  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int index = 0; index < text.length(); index++) {
      char sign = text.charAt(index);
      if (sign == '"' || sign == '\\') out.append('\\').append(sign);
      else if (sign < ' ' || isHalf(text, index)) out.append(String.format("\\u%04x", (int) sign));
      else out.append(sign);
    }
    out.append('"');
  }

  /** Half a character has no bytes of its own: unescaped it would be sent as a question mark. */
  private static boolean isHalf(String text, int index) {
    char sign = text.charAt(index);
    if (Character.isHighSurrogate(sign))
      return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
    return Character.isLowSurrogate(sign) && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
  }

  private Object value(int depth) {
    if (depth > DEEPEST) throw wrong();
    space();
    switch (peek()) {
      case '{':
        return members(depth);
      case '[':
        return elements(depth);
      case '"':
        return string();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> members(int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    space();
    if (took('}')) return Map.of();
    do {
      space();
      if (peek() != '"') throw wrong();
      String name = string();
      space();
      if (!took(':')) throw wrong();
      members.put(name, value(depth + 1));
      space();
    } while (took(','));
    if (!took('}')) throw wrong();
    // Whoever reads a result that is remembered must not be able to change it for the others.
    return Collections.unmodifiableMap(members);
  }

  private List<Object> elements(int depth) {
    List<Object> elements = new ArrayList<>();
    at++;
    space();
    if (took(']')) return List.of();
    do {
      elements.add(value(depth + 1));
      space();
    } while (took(','));
    if (!took(']')) throw wrong();
    return Collections.unmodifiableList(elements);
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    at++;
    while (true) {
      char sign = next();
      if (sign == '"') return out.toString();
      if (sign < ' ') throw wrong();
      out.append(sign == '\\' ? escaped() : sign);
    }
  }

  private char escaped() {
    char sign = next();
    switch (sign) {
      case '"':
      case '\\':
      case '/':
        return sign;
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
          if (value < 0) throw wrong();
          code = code * 16 + value;
        }
        return (char) code;
      default:
        throw wrong();
    }
  }

  private Object number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
    String digits = text.substring(start, at);
    if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) throw wrong();
    if (digits.matches("-?[0-9]{1,18}")) return Long.valueOf(digits);
    return Double.valueOf(digits);
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) throw wrong();
    at += word.length();
    return value;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private boolean took(char sign) {
    if (at >= text.length() || text.charAt(at) != sign) return false;
    at++;
    return true;
  }

  private char peek() {
    if (at >= text.length()) throw wrong();
    return text.charAt(at);
  }

  private char next() {
    char sign = peek();
    at++;
    return sign;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("This is not JSON, at character " + at + ".");
  }
}
