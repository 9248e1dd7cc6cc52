package io.countersign;

/** No response in time. */
public class TimeoutException extends ConnectionException {
  private static final long serialVersionUID = 2L;

  TimeoutException(String message, Throwable cause) {
    super(message, cause);
  }
}
