package io.countersign;

/** A request that is about to be sent. It contains no key. */
public final class RequestEvent {
  private final String method;
  private final String path;
  private final int attempt;

  RequestEvent(String method, String path, int attempt) {
    this.method = method;
    this.path = path;
    this.attempt = attempt;
  }

  /** {@code POST} or {@code GET}. */
  public String method() {
    return method;
  }

  /** {@code /api/v1/validate}, or literally {@code /api/v1/license/{key}}. */
  public String path() {
    return path;
  }

  /** 1, and one more for every retry. */
  public int attempt() {
    return attempt;
  }

  @Override
  public String toString() {
    return "RequestEvent[method=" + method + ", path=" + path + ", attempt=" + attempt + "]";
  }
}
