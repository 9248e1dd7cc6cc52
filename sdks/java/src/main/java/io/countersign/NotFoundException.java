package io.countersign;

/** Only thrown by {@code lookup}: the product has no such license. */
public class NotFoundException extends CountersignException {
  private static final long serialVersionUID = 1L;

  NotFoundException(String requestId) {
    super("The product has no license with this key.", requestId, null);
  }
}
