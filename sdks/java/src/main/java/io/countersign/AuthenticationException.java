package io.countersign;

/** The API key is missing, wrong or was rotated: something to set right where the app is configured. */
public class AuthenticationException extends CountersignException {
  private static final long serialVersionUID = 1L;

  AuthenticationException(String requestId) {
    super(
        "The API key is not accepted. Is it this product's, complete, and not rotated since?", requestId, null);
  }
}
