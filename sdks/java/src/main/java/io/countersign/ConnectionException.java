package io.countersign;

/** No response: no network, an unknown host name, a connection that was cut. */
public class ConnectionException extends CountersignException {
  private static final long serialVersionUID = 2L;

  ConnectionException(String message, Throwable cause) {
    super(message, ErrorDetails.NONE, cause);
  }
}
