package io.countersign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks answers on the bytes as they came. */
final class Signatures {
  private static final String OPENING = "\"signature\":\"";
  private static final String UNSIGNED = "\"signature\":null}";
  private static final Pattern AT_END =
      Pattern.compile(
          "\"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})\"\\}");

  private Signatures() {}

  /** Null when the body is signed for this question; else what is wrong with it. */
  static String problem(byte[] body, Signing signing, String licenseKey, String nonce, long wallMillis) {
    // Latin-1 keeps every byte as one character, so that what is cut off here is cut off there.
    String text = new String(body, ISO_8859_1);
    int start = text.endsWith(UNSIGNED) ? -1 : text.lastIndexOf(OPENING);
    if (start < 0) return "missing";
    Matcher match = AT_END.matcher(text.substring(start + OPENING.length() - 1));
    if (!match.matches()) return "malformed";
    String time = match.group(1);
    if (Math.abs(wallMillis - Long.parseLong(time) * 1_000) > signing.tolerance.toMillis()) return "stale";
    if (!match.group(2).equals(nonce)) return "nonce";
    String head =
        String.join("\n", "countersign.validate.v1", time, nonce, signing.productId, licenseKey, "");
    byte[] claimed = Hex.bytes(match.group(4));
    boolean fits = false;
    for (byte[] secret : signing.secrets) {
      byte[] right =
          Hmac.sha256(
              secret, head.getBytes(UTF_8), Arrays.copyOf(body, start), UNSIGNED.getBytes(UTF_8));
      fits |= MessageDigest.isEqual(right, claimed);
    }
    return fits ? null : "mismatch";
  }
}
