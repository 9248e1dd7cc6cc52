package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;

/**
 * The portal's page for a license. The key is in the fragment: a browser sends the fragment to no server, so it appears
 * in no log and no referrer.
 */
final class PortalUrl {
  /** What the server trims from a license key. {@code String.strip} removes other characters. */
  private static final String WHITESPACE =
      "\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
          + "\u2028\u2029\u202f\u205f\u3000\ufeff";

  private PortalUrl() {}

  static String of(String baseUrl, String licenseKey) {
    String key = licenseKey == null ? "" : trimmed(licenseKey);
    if (key.isEmpty()) throw new IllegalArgumentException("licenseKey must be a license key that is not empty.");
    return baseUrl + "/portal/open#" + escaped(key);
  }

  private static String trimmed(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && WHITESPACE.indexOf(text.charAt(start)) >= 0) start++;
    while (start < end && WHITESPACE.indexOf(text.charAt(end - 1)) >= 0) end--;
    return text.substring(start, end);
  }

  /** Every SDK leaves the same characters unescaped: letters, digits and {@code -_.!~*'()}. */
  private static String escaped(String key) {
    // UTF-8 has no unpaired surrogates. No license key contains them, so replacing them is safe.
    return URLEncoder.encode(key.replaceAll("\\p{Cs}", "\ufffd"), UTF_8)
        .replace("+", "%20")
        .replace("%21", "!")
        .replace("%27", "'")
        .replace("%28", "(")
        .replace("%29", ")")
        .replace("%7E", "~");
  }
}
