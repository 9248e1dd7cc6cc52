package io.countersign;

/** The server's response was unusable. */
public class ServerException extends CountersignException {
  private static final long serialVersionUID = 1L;
  private final int status;

  ServerException(String message, int status, String requestId) {
    super(message, requestId, null);
    this.status = status;
  }

  /** The HTTP status of the response. */
  public int status() {
    return status;
  }
}
