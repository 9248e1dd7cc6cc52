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

/** Checks deliveries of webhooks, by Standard Webhooks 1.0. */
public final class Webhooks {
  private final List<byte[]> keys = new ArrayList<>();
  private final Duration tolerance;
  private final LongSupplier wallMillis;

  private Webhooks(Collection<String> secrets, Duration tolerance, LongSupplier wallMillis) {
    for (String secret : secrets) keys.add(key(secret));
    if (keys.isEmpty()) throw new IllegalArgumentException("There should be an endpoint's secret, whsec_….");
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

  /** Checks a delivery and returns its event. The body is what came over the wire, parsed by nobody. */
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

  /** The same where a framework gives headers by their names, such as {@code request::getHeader}. */
  public WebhookEvent verify(byte[] body, Function<String, String> header) {
    if (body == null)
      throw new WebhookException(
          "parsed_body",
          "There is no raw body. Read the bytes before anything parses them: byte[] with @RequestBody in Spring,"
              + " request.getInputStream().readAllBytes() in a servlet.");
    String id = needed(header, "webhook-id");
    String timestamp = needed(header, "webhook-timestamp");
    String signatures = needed(header, "webhook-signature");
    boolean isTime = timestamp.matches("[0-9]{1,12}");
    if (!isTime || Math.abs(wallMillis.getAsLong() - Long.parseLong(timestamp) * 1_000) > tolerance.toMillis())
      throw new WebhookException("stale", "The delivery is too old, or from the future.");
    byte[] head = (id + "." + timestamp + ".").getBytes(UTF_8);
    boolean fits = false;
    for (byte[] key : keys) {
      byte[] right = Base64.getEncoder().encode(Hmac.sha256(key, head, body));
      for (String signature : signatures.split(" ")) {
        String[] parts = signature.split(",", 2);
        boolean isOurs = parts.length == 2 && parts[0].equals("v1");
        fits |= isOurs && MessageDigest.isEqual(parts[1].getBytes(UTF_8), right);
      }
    }
    if (!fits) throw new WebhookException("mismatch", "The signature does not fit the body and the secret.");
    WebhookEvent event = WebhookEvent.read(id, new String(body, UTF_8));
    if (event == null) throw new WebhookException("malformed", "The body is signed, and no event.");
    return event;
  }

  private static byte[] key(String secret) {
    try {
      byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
      if (key.length > 0) return key;
    } catch (IllegalArgumentException notBase64) {
      // Said below, without the secret.
    }
    throw new IllegalArgumentException("A secret should be the endpoint's, whsec_…, as the dashboard shows it.");
  }

  private static String needed(Function<String, String> header, String name) {
    String value = header.apply(name);
    if (value == null || value.isEmpty())
      throw new WebhookException("missing_header", "The header " + name + " is missing.");
    return value;
  }
}
