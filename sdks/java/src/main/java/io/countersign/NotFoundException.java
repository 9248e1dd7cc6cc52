package io.countersign;

/** Only {@code lookup} throws it: there is no such license under this product. */
public class NotFoundException extends CountersignException {
  private static final long serialVersionUID = 1L;

  NotFoundException(String requestId) {
    super("There is no such license under this product.", requestId, null);
  }
}
