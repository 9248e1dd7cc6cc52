package io.countersign;

/** No response in time. */
public class TimeoutException extends ConnectionException {
  private static final long serialVersionUID = 1L;

  TimeoutException(String message, Throwable cause) {
    super(message, cause);
  }
}
