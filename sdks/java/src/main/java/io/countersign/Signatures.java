package io.countersign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Verifies the signature of a response against its raw bytes. */
final class Signatures {
  /** The problem, or null and how far the clocks differ. */
  static final class Verification {
    final String problem;
    final long clockSkewSeconds;

    private Verification(String problem, long clockSkewSeconds) {
      this.problem = problem;
      this.clockSkewSeconds = clockSkewSeconds;
    }
  }

  private static final String SIGNATURE_NAME = "\"signature\"";
  private static final String SIGNATURE_START = "\"signature\":\"";
  private static final String NULL_SIGNATURE = "\"signature\":null}";
  private static final Pattern SIGNATURE_PATTERN =
      Pattern.compile(
          "\"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})\"\\}");
  /** A nonce proves that a response is new, so a clock that is off by a day is tolerated. */
  private static final long MAX_SKEW_MILLIS = 86_400_000;

  private Signatures() {}

  /** False for the page of another server, such as a captive portal, which is not an attempt at a signed response. */
  static boolean hasMember(byte[] body) {
    return new String(body, ISO_8859_1).contains(SIGNATURE_NAME);
  }

  static Verification verify(byte[] body, Signing signing, String licenseKey, String nonce, long wallMillis) {
    // Latin-1 maps every byte to one character, so that offsets match.
    String text = new String(body, ISO_8859_1);
    int start = text.endsWith(NULL_SIGNATURE) ? -1 : text.lastIndexOf(SIGNATURE_START);
    if (start < 0) return problem("missing");
    Matcher match = SIGNATURE_PATTERN.matcher(text.substring(start + SIGNATURE_START.length() - 1));
    if (!match.matches()) return problem("malformed");
    if (!match.group(2).equals(nonce)) return problem("nonce");
    String time = match.group(1);
    long skewMillis = Long.parseLong(time) * 1_000 - wallMillis;
    if (Math.abs(skewMillis) > MAX_SKEW_MILLIS) return problem("stale");
    String head =
        String.join("\n", "countersign.validate.v1", time, nonce, signing.productId, licenseKey, "");
    byte[] claimed = Hex.bytes(match.group(4));
    boolean matches = false;
    for (byte[] secret : signing.secrets) {
      byte[] expected =
          Hmac.sha256(
              secret, head.getBytes(UTF_8), Arrays.copyOf(body, start), NULL_SIGNATURE.getBytes(UTF_8));
      matches |= MessageDigest.isEqual(expected, claimed);
    }
    return matches ? new Verification(null, Math.round(skewMillis / 1_000.0)) : problem("mismatch");
  }

  private static Verification problem(String problem) {
    return new Verification(problem, 0);
  }
}
