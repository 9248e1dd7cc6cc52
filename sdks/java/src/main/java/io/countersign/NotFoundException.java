package io.countersign;

/** Only thrown by {@code lookup}: the product has no such license. */
public class NotFoundException extends CountersignException {
  private static final long serialVersionUID = 2L;

  NotFoundException(ErrorDetails details) {
    super("The product has no license with this key.", details, null);
  }
}
