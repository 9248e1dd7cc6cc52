package io.countersign;

/** The response was not signed with this product's secret, or not for this request. It must not be trusted. */
public class SignatureException extends CountersignException {
  private static final long serialVersionUID = 2L;
  private final String reason;

  SignatureException(String reason, ErrorDetails details) {
    super("The response has no valid signature (" + reason + "), so it is not trusted.", details, null);
    this.reason = reason;
  }

  /** One of missing, malformed, nonce, stale, mismatch. */
  public String reason() {
    return reason;
  }
}
