package io.countersign.spring;

import io.countersign.WebhookException;

/** The request is not a delivery from Countersign. Its response is JSON, like that of a refused license. */
public final class WebhookRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String reason;

  WebhookRefusedException(int status, String reason, String message, WebhookException cause) {
    super(message, cause);
    this.status = status;
    this.reason = reason;
  }

  /** The HTTP status of the response. */
  public int status() {
    return status;
  }

  /** Why: {@code missing_header}, {@code stale}, {@code mismatch}, {@code malformed}, {@code too_large}, {@code parsed_body}. */
  public String reason() {
    return reason;
  }
}
