package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebhooksTest {
  @Test
  void anInvalidSecretIsRejectedImmediately() {
    for (String wrong : List.of("", "whsec_", "whsec_?", "not base64!")) {
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
            WebhookException.class, () -> Webhooks.with("whsec_c2VjcmV0").verify(new byte[0], headers));
    assertEquals("missing_header", problem.reason());
  }
}
