package io.countersign;

/** The answer was not signed by this product's secret, or not for this question. It must not be trusted. */
public class SignatureException extends CountersignException {
  private static final long serialVersionUID = 1L;
  private final String reason;

  SignatureException(String reason, String requestId) {
    super("The answer's signature is not right (" + reason + "), so it is not trusted.", requestId, null);
    this.reason = reason;
  }

  /** One of missing, malformed, stale, nonce, mismatch. */
  public String reason() {
    return reason;
  }
}
