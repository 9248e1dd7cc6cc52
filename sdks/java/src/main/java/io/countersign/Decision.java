package io.countersign;

import java.util.Optional;

/** Whether to grant access, and why. */
public final class Decision {
  private final boolean allowed;
  private final ValidateResult result;
  private final CountersignException problem;

  Decision(boolean allowed, ValidateResult result, CountersignException problem) {
    this.allowed = allowed;
    this.result = result;
    this.problem = problem;
  }

  /** Whether to grant access. */
  public boolean allowed() {
    return allowed;
  }

  /** Empty if there was no verdict. */
  public Optional<ValidateResult> result() {
    return Optional.ofNullable(result);
  }

  /** Why there was no verdict. */
  public Optional<CountersignException> problem() {
    return Optional.ofNullable(problem);
  }

  @Override
  public String toString() {
    return "Decision[allowed=" + allowed + ", result=" + result + ", problem=" + problem + "]";
  }
}
