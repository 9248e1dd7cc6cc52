package io.countersign;

/** No answer came: no network, a name that is not known, a connection that was cut. */
public class ConnectionException extends CountersignException {
  private static final long serialVersionUID = 1L;

  ConnectionException(String message, Throwable cause) {
    super(message, null, cause);
  }
}
