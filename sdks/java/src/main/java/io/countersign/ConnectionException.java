package io.countersign;

/** No response: no network, an unknown host name, a connection that was cut. */
public class ConnectionException extends CountersignException {
  private static final long serialVersionUID = 1L;

  ConnectionException(String message, Throwable cause) {
    super(message, null, cause);
  }
}
