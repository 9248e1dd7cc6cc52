package io.countersign;

/** Turns the outcome of a validation into a decision. */
final class Decisions {
  private final boolean isAdvisory;

  Decisions(boolean isAdvisory) {
    this.isAdvisory = isAdvisory;
  }

  Decision decide(ValidateResult result, Throwable failure) throws Throwable {
    if (failure == null) return new Decision(result.valid(), result, null);
    if (!(failure instanceof CountersignException)) throw failure;
    // A forged response and one of the sandbox are never allowed, in either mode.
    boolean isForged = failure instanceof SignatureException || failure instanceof SandboxException;
    return new Decision(isAdvisory && !isForged, null, (CountersignException) failure);
  }
}
