package io.countersign;

/** The API key is missing, wrong or was rotated: fix the app's configuration. */
public class AuthenticationException extends CountersignException {
  private static final long serialVersionUID = 2L;

  AuthenticationException(ErrorDetails details) {
    super(
        "The server rejected the API key."
            + " Check that it is complete, belongs to this product and has not been rotated.",
        details,
        null);
  }
}
