package io.countersign.spring;

import io.countersign.CountersignException;
import io.countersign.Decision;
import io.countersign.ValidateResult;
import jakarta.servlet.ServletRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * The license of a request: whether to let the request in, and why. A parameter of this type in a controller is the
 * request's license; without {@link RequireLicense} the controller decides itself.
 *
 * @param key empty if the request has none
 * @param allowed whether to let the request in
 * @param result empty if there was no key, or no verdict
 * @param problem why there was no verdict
 * @param limitedFor if this address has sent too many unknown keys: how long it has to wait
 */
public record License(
    Optional<String> key,
    boolean allowed,
    Optional<ValidateResult> result,
    Optional<CountersignException> problem,
    Optional<Duration> limitedFor) {
  /** The request attribute that has the license. */
  public static final String ATTRIBUTE = License.class.getName();

  /** The license of a request. Empty if none was validated. */
  public static Optional<License> of(ServletRequest request) {
    return Optional.ofNullable((License) request.getAttribute(ATTRIBUTE));
  }

  static License missing() {
    return new License(Optional.empty(), false, Optional.empty(), Optional.empty(), Optional.empty());
  }

  static License decided(String key, Decision decision) {
    return new License(
        Optional.of(key), decision.allowed(), decision.result(), decision.problem(), Optional.empty());
  }

  /** Never allowed, not even in advisory mode: otherwise a few unknown keys would open the app. */
  static License limited(String key, Duration limitedFor) {
    return new License(Optional.of(key), false, Optional.empty(), Optional.empty(), Optional.of(limitedFor));
  }

  /** Without the key, which must not be logged. */
  @Override
  public String toString() {
    String status = result.map(ValidateResult::status).orElse("no verdict");
    return "License[allowed=" + allowed + ", " + (key.isEmpty() ? "no key" : status) + "]";
  }
}
