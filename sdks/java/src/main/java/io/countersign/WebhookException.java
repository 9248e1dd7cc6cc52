package io.countersign;

/** The request is not a delivery from Countersign, or cannot be verified. */
public class WebhookException extends CountersignException {
  private static final long serialVersionUID = 2L;
  private final String reason;

  WebhookException(String reason, String message) {
    super(message, ErrorDetails.NONE, null);
    this.reason = reason;
  }

  /** One of parsed_body, missing_header, stale, mismatch, malformed. */
  public String reason() {
    return reason;
  }
}
