package io.countersign;

/** The sandbox responded, or would have, but {@link CountersignBuilder#allowSandbox()} was not called. */
public class SandboxException extends CountersignException {
  private static final long serialVersionUID = 2L;

  SandboxException(String message, ErrorDetails details) {
    super(message + " Call allowSandbox() in tests only.", details, null);
  }

  /** Always {@code sandbox_not_allowed}. */
  public String code() {
    return "sandbox_not_allowed";
  }
}
