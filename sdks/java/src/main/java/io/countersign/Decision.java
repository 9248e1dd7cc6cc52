package io.countersign;

import java.util.Optional;

/** Whether to let somebody in, and why. */
public final class Decision {
  private final boolean allowed;
  private final ValidateResult result;
  private final CountersignException problem;

  Decision(boolean allowed, ValidateResult result, CountersignException problem) {
    this.allowed = allowed;
    this.result = result;
    this.problem = problem;
  }

  /** Whether they may go on. */
  public boolean allowed() {
    return allowed;
  }

  /** Empty when no verdict could be had. */
  public Optional<ValidateResult> result() {
    return Optional.ofNullable(result);
  }

  /** Why not. */
  public Optional<CountersignException> problem() {
    return Optional.ofNullable(problem);
  }
}
