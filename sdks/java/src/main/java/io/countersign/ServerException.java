package io.countersign;

/** The server answered, and not with anything that can be used. */
public class ServerException extends CountersignException {
  private static final long serialVersionUID = 1L;
  private final int status;

  ServerException(String message, int status, String requestId) {
    super(message, requestId, null);
    this.status = status;
  }

  /** The answer's HTTP status. */
  public int status() {
    return status;
  }
}
