package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Verifies webhook deliveries, according to Standard Webhooks 1.0. */
public final class Webhooks {
  private final List<byte[]> keys = new ArrayList<>();
  private final Duration tolerance;
  private final LongSupplier wallMillis;

  private Webhooks(Collection<String> secrets, Duration tolerance, LongSupplier wallMillis) {
    for (String secret : secrets) keys.add(hmacKey(secret));
    if (keys.isEmpty()) throw new IllegalArgumentException("At least one endpoint secret (whsec_…) is required.");
    this.tolerance = tolerance;
    this.wallMillis = wallMillis;
  }

  /** For an endpoint with this secret, {@code whsec_…}; during a rotation with the old and the new one. */
  public static Webhooks with(String... secrets) {
    return new Webhooks(List.of(secrets), Duration.ofMinutes(5), System::currentTimeMillis);
  }

  static Webhooks with(Collection<String> secrets, LongSupplier wallMillis) {
    return new Webhooks(secrets, Duration.ofMinutes(5), wallMillis);
  }

  /** Verifies a delivery and returns its event. The body is the raw request body, not parsed. */
  public WebhookEvent verify(byte[] body, Map<String, String> headers) {
    return verify(
        body,
        name ->
            headers.entrySet().stream()
                .filter(header -> name.equalsIgnoreCase(header.getKey()))
                .map(Map.Entry::getValue)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null));
  }

  /** Verifies a delivery, with a function that returns a header by name, such as {@code request::getHeader}. */
  public WebhookEvent verify(byte[] body, Function<String, String> header) {
    if (body == null)
      throw new WebhookException(
          "parsed_body",
          "The raw body is missing. Read the bytes before anything parses them: byte[] with @RequestBody in Spring,"
              + " request.getInputStream().readAllBytes() in a servlet.");
    String id = requiredHeader(header, "webhook-id");
    String timestamp = requiredHeader(header, "webhook-timestamp");
    String signatures = requiredHeader(header, "webhook-signature");
    boolean isTime = timestamp.matches("[0-9]{1,12}");
    if (!isTime || Math.abs(wallMillis.getAsLong() - Long.parseLong(timestamp) * 1_000) > tolerance.toMillis())
      throw new WebhookException(
          "stale", "The delivery's timestamp is too old, or in the future. Check that the clock is right.");
    byte[] head = (id + "." + timestamp + ".").getBytes(UTF_8);
    boolean matches = false;
    for (byte[] key : keys) {
      byte[] expected = Base64.getEncoder().encode(Hmac.sha256(key, head, body));
      for (String signature : signatures.split(" ")) {
        String[] parts = signature.split(",", 2);
        boolean isKnownVersion = parts.length == 2 && parts[0].equals("v1");
        matches |= isKnownVersion && MessageDigest.isEqual(parts[1].getBytes(UTF_8), expected);
      }
    }
    if (!matches)
      throw new WebhookException(
          "mismatch", "The signature does not match. Check the secret, and pass the raw body.");
    WebhookEvent event = WebhookEvent.read(id, new String(body, UTF_8));
    if (event == null) throw new WebhookException("malformed", "The body is signed but is not a webhook event.");
    return event;
  }

  private static byte[] hmacKey(String secret) {
    try {
      byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
      if (key.length > 0) return key;
    } catch (IllegalArgumentException notBase64) {
      // The exception below reports it, without the secret.
    }
    throw new IllegalArgumentException(
        "A secret must be the endpoint's secret (whsec_…), as shown in the dashboard.");
  }

  private static String requiredHeader(Function<String, String> header, String name) {
    String value = header.apply(name);
    if (value == null || value.isEmpty())
      throw new WebhookException("missing_header", "The request has no " + name + " header.");
    return value;
  }
}
