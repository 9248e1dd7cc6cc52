package io.countersign;

import java.util.Locale;

/** What can be said about a license key without asking the server. */
final class LicenseKeys {
  /** What the server trims from a license key. {@code String.strip} removes other characters. */
  private static final String WHITESPACE =
      "\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
          + "\u2028\u2029\u202f\u205f\u3000\ufeff";

  private static final int MAX_CODE_POINTS = 64;

  private LicenseKeys() {}

  static String trimmed(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && WHITESPACE.indexOf(text.charAt(start)) >= 0) start++;
    while (start < end && WHITESPACE.indexOf(text.charAt(end - 1)) >= 0) end--;
    return text.substring(start, end);
  }

  /** Whether no license can have this key, so that asking the server would only use up the daily limit. */
  static boolean isImpossible(String licenseKey) {
    if (licenseKey == null) return true;
    String key = trimmed(licenseKey);
    // Checked first, so that a huge text is not scanned.
    if (key.isEmpty() || key.length() > 2 * MAX_CODE_POINTS) return true;
    return key.codePointCount(0, key.length()) > MAX_CODE_POINTS
        || key.codePoints().anyMatch(LicenseKeys::isImpossible);
  }

  private static boolean isImpossible(int codePoint) {
    // A surrogate that is a code point of its own has no partner.
    return Character.isISOControl(codePoint)
        || codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  /** The same for every spelling of a license key. */
  static String comparisonForm(String licenseKey) {
    return trimmed(licenseKey).toUpperCase(Locale.ROOT);
  }
}
