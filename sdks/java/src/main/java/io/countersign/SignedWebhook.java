package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;

/** A webhook delivery for tests of the app: send the bytes of the body with these headers. */
public final class SignedWebhook {
  private final String body;
  private final Map<String, String> headers;

  SignedWebhook(String body, Map<String, String> headers) {
    this.body = body;
    this.headers = headers;
  }

  /** The body as it was signed. */
  public String body() {
    return body;
  }

  /** The body in UTF-8, as it is sent. */
  public byte[] bytes() {
    return body.getBytes(UTF_8);
  }

  /** The three headers of Standard Webhooks, and the content type. */
  public Map<String, String> headers() {
    return headers;
  }

  /** Without the data of the event. */
  @Override
  public String toString() {
    return "SignedWebhook[" + headers.get("webhook-id") + "]";
  }
}
