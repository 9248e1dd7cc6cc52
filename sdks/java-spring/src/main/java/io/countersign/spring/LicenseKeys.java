package io.countersign.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** License keys as the server compares them. */
final class LicenseKeys {
  /** What the server trims. {@code String.strip} removes other characters. */
  private static final String WHITESPACE =
      "\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
          + "\u2028\u2029\u202f\u205f\u3000\ufeff";

  private LicenseKeys() {}

  /**
   * The key in a header; null without one. Several headers are one with all values, as HTTP defines and other servers
   * hand them over: no license has it.
   */
  static String in(HttpServletRequest request, String header) {
    List<String> values = Collections.list(request.getHeaders(header));
    return values.isEmpty() ? null : String.join(", ", values);
  }

  static boolean isMissing(String key) {
    return key == null || trimmed(key).isEmpty();
  }

  /** The same for every spelling of a key. */
  static String comparisonForm(String key) {
    return trimmed(key).toUpperCase(Locale.ROOT);
  }

  private static String trimmed(String key) {
    int start = 0;
    int end = key.length();
    while (start < end && WHITESPACE.indexOf(key.charAt(start)) >= 0) start++;
    while (end > start && WHITESPACE.indexOf(key.charAt(end - 1)) >= 0) end--;
    return key.substring(start, end);
  }
}
