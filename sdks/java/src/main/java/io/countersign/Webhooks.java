package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Verifies webhook deliveries, according to Standard Webhooks 1.0, and signs them for tests of the app. */
public final class Webhooks {
  private static final int MIN_KEY_BYTES = 24;

  private final List<byte[]> keys = new ArrayList<>();
  private final Duration tolerance;
  private final LongSupplier wallMillis;

  private Webhooks(Collection<String> secrets, Duration tolerance, LongSupplier wallMillis) {
    for (String secret : Secrets.split(secrets)) keys.add(hmacKey(secret));
    if (keys.isEmpty()) throw new IllegalArgumentException("At least one endpoint secret (whsec_…) is required.");
    this.tolerance = tolerance;
    this.wallMillis = wallMillis;
  }

  /**
   * For an endpoint with this secret, {@code whsec_…}; during a rotation with the old and the new one. Several can also
   * be separated by commas.
   */
  public static Webhooks with(String... secrets) {
    return new Webhooks(Arrays.asList(secrets), Duration.ofMinutes(5), System::currentTimeMillis);
  }

  /** For an endpoint with any of these secrets. */
  public static Webhooks with(Collection<String> secrets) {
    return with(secrets, System::currentTimeMillis);
  }

  static Webhooks with(Collection<String> secrets, LongSupplier wallMillis) {
    return new Webhooks(secrets, Duration.ofMinutes(5), wallMillis);
  }

  /** Signs an event for a test of the app, as if the server delivered it now. See {@link SignedWebhook}. */
  public static SignedWebhook sign(Map<String, ?> event, String secret) {
    return sign(Json.write(event), secret);
  }

  /** Signs a body for a test of the app, as if the server delivered it now. */
  public static SignedWebhook sign(String body, String secret) {
    return sign(body, secret, "evt_" + UUID.randomUUID(), Instant.now());
  }

  /** Signs a body with this ID and time. During a rotation, the server signs with both secrets, and so does this. */
  public static SignedWebhook sign(String body, String secret, String id, Instant timestamp) {
    List<String> secrets = Secrets.split(Collections.singleton(secret));
    if (secrets.isEmpty()) throw invalidSecret();
    String seconds = String.valueOf(timestamp.getEpochSecond());
    byte[] head = head(id, seconds);
    String signatures =
        secrets.stream()
            .map(one -> "v1," + signature(hmacKey(one), head, body.getBytes(UTF_8)))
            .collect(Collectors.joining(" "));
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("content-type", "application/json");
    headers.put("webhook-id", id);
    headers.put("webhook-timestamp", seconds);
    headers.put("webhook-signature", signatures);
    return new SignedWebhook(body, Collections.unmodifiableMap(headers));
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
    byte[] head = head(id, timestamp);
    boolean matches = false;
    for (byte[] key : keys) {
      byte[] expected = signature(key, head, body).getBytes(UTF_8);
      for (String signature : signatures.split(" ")) {
        String[] parts = signature.split(",", 2);
        boolean isKnownVersion = parts.length == 2 && parts[0].equals("v1");
        matches |= isKnownVersion && MessageDigest.isEqual(parts[1].getBytes(UTF_8), expected);
      }
    }
    if (!matches)
      throw new WebhookException(
          "mismatch", "The signature does not match. Check the secret, and pass the raw body.");
    Instant sentAt = Instant.ofEpochSecond(Long.parseLong(timestamp));
    WebhookEvent event = WebhookEvent.read(id, sentAt, new String(body, UTF_8));
    if (event == null) throw new WebhookException("malformed", "The body is signed but is not a webhook event.");
    return event;
  }

  private static byte[] head(String id, String timestamp) {
    return (id + "." + timestamp + ".").getBytes(UTF_8);
  }

  private static String signature(byte[] key, byte[] head, byte[] body) {
    return Base64.getEncoder().encodeToString(Hmac.sha256(key, head, body));
  }

  /** A shorter key could be guessed. */
  private static byte[] hmacKey(String secret) {
    try {
      byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
      if (key.length >= MIN_KEY_BYTES) return key;
    } catch (IllegalArgumentException notBase64) {
      // The exception below reports it, without the secret.
    }
    throw invalidSecret();
  }

  private static IllegalArgumentException invalidSecret() {
    return new IllegalArgumentException(
        "A secret must be the endpoint's whole secret (whsec_…), as shown in the dashboard.");
  }

  private static String requiredHeader(Function<String, String> header, String name) {
    String value = header.apply(name);
    if (value == null || value.isEmpty())
      throw new WebhookException("missing_header", "The request has no " + name + " header.");
    return value;
  }
}
