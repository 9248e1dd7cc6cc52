package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;

/**
 * The portal's page for a license. The key is in the fragment: a browser sends the fragment to no server, so it appears
 * in no log and no referrer.
 */
final class PortalUrl {
  private PortalUrl() {}

  static String of(String baseUrl, String licenseKey) {
    String key = licenseKey == null ? "" : LicenseKeys.trimmed(licenseKey);
    if (key.isEmpty()) throw new IllegalArgumentException("licenseKey must be a license key that is not empty.");
    return baseUrl + "/portal/open#" + escaped(key);
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
