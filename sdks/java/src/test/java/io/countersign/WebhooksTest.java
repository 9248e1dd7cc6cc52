package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.countersign.events.LicenseRevoked;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebhooksTest {
  private static final String SECRET = "whsec_" + "A".repeat(32);
  private static final String OTHER = "whsec_" + "B".repeat(32);
  private static final Map<String, Object> EVENT =
      Map.of("type", "license.revoked", "timestamp", "2026-06-01T12:00:00Z", "data", Map.of("license_id", "l1"));

  @Test
  void aSignedEventIsVerified() {
    SignedWebhook signed = Webhooks.sign(EVENT, SECRET);
    WebhookEvent event = Webhooks.with(SECRET).verify(signed.bytes(), signed.headers());
    assertEquals("license.revoked", event.type());
    assertEquals(Map.of("license_id", "l1"), event.data());
    assertEquals(signed.headers().get("webhook-id"), event.id());
    assertEquals("l1", LicenseRevoked.from(event).orElseThrow().licenseId());
    WebhookException problem =
        assertThrows(
            WebhookException.class, () -> Webhooks.with(OTHER).verify(signed.bytes(), signed.headers()));
    assertEquals("mismatch", problem.reason());
  }

  @Test
  void secretsCanBeSeparatedByCommas() {
    for (String one : List.of(SECRET, OTHER)) {
      SignedWebhook signed = Webhooks.sign(EVENT, one);
      Webhooks.with(SECRET + ", " + OTHER + ",").verify(signed.bytes(), signed.headers());
      Webhooks.with(List.of(SECRET, OTHER)).verify(signed.bytes(), signed.headers());
    }
    SignedWebhook rotating = Webhooks.sign(EVENT, SECRET + "," + OTHER);
    for (String one : List.of(SECRET, OTHER)) Webhooks.with(one).verify(rotating.bytes(), rotating.headers());
  }

  @Test
  void neitherSecretsNorDataAreInTheTextOfObjects() {
    SignedWebhook signed = Webhooks.sign(EVENT, SECRET);
    WebhookEvent event = Webhooks.with(SECRET).verify(signed.bytes(), signed.headers());
    for (Object one : List.of(signed, event, Webhooks.with(SECRET)))
      assertFalse(one.toString().matches("(?s).*(AAAA|license_id).*"), one.toString());
  }

  @Test
  void anInvalidSecretIsRejectedImmediately() {
    String tooShort = "whsec_c2VjcmV0";
    for (String wrong :
        List.of("", "whsec_", "whsec_?", "not base64!", ",", tooShort, SECRET + "," + tooShort)) {
      IllegalArgumentException problem =
          assertThrows(IllegalArgumentException.class, () -> Webhooks.with(wrong), wrong);
      assertTrue(problem.getMessage().contains("whsec_"), problem.getMessage());
    }
    assertThrows(IllegalArgumentException.class, () -> Webhooks.with());
  }

  @Test
  void headersWithoutANameAreIgnored() {
    Map<String, String> headers = new HashMap<>();
    headers.put(null, "HTTP/1.1 200 OK");
    WebhookException problem =
        assertThrows(
            WebhookException.class, () -> Webhooks.with(SECRET).verify(new byte[0], headers));
    assertEquals("missing_header", problem.reason());
  }
}
