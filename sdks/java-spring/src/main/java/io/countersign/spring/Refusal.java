package io.countersign.spring;

import io.countersign.AuthenticationException;
import io.countersign.CountersignException;
import io.countersign.RateLimitException;
import io.countersign.SandboxException;
import io.countersign.ServerException;
import io.countersign.ValidateResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How to respond to a request that is not let in.
 *
 * @param license the request's license; its problem is the cause
 * @param status 401, 403, 429, 500 or 503
 * @param code {@code license_missing}, the verdict's status, {@code too_many_unknown_keys}, {@code license_misconfigured} or
 *     {@code license_unverified}
 * @param message for the developer of the client
 * @param requestId by which the seller finds the request in the log
 * @param retryAfterSeconds when to try again
 */
public record Refusal(
    License license,
    int status,
    String code,
    String message,
    Optional<String> requestId,
    Optional<Long> retryAfterSeconds) {

  /** The default response's JSON. It does not contain the license key. */
  public Map<String, Object> body() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("error", code);
    body.put("message", message);
    requestId.ifPresent(id -> body.put("request_id", id));
    retryAfterSeconds.ifPresent(seconds -> body.put("retry_after", seconds));
    return body;
  }

  /** The response for a license that is not allowed. */
  static Refusal of(License license) {
    if (license.result().isPresent()) return rejected(license, license.result().get());
    if (license.key().isEmpty())
      return refusal(license, 401, "license_missing", "This request requires a license key.", null);
    if (license.limitedFor().isPresent()) {
      Duration limitedFor = license.limitedFor().get();
      String message =
          "This address has sent too many unknown license keys. Try again in " + limitedFor.toSeconds() + " seconds.";
      return refusal(license, 429, "too_many_unknown_keys", message, limitedFor);
    }
    CountersignException problem = license.problem().orElse(null);
    if (isMisconfiguration(problem)) {
      String message = "The license could not be validated, because this service is misconfigured.";
      return refusal(license, 500, "license_misconfigured", message, null);
    }
    String message = "The license could not be validated. Try again later.";
    return refusal(license, 503, "license_unverified", message, retryAfter(problem));
  }

  /** Whether only a change of the app's configuration helps. */
  static boolean isMisconfiguration(CountersignException problem) {
    return problem instanceof AuthenticationException || problem instanceof SandboxException;
  }

  private static Refusal rejected(License license, ValidateResult result) {
    String message = "The license was rejected: " + result.status() + ".";
    return new Refusal(license, 403, result.status(), message, result.requestId(), Optional.empty());
  }

  private static Refusal refusal(License license, int status, String code, String message, Duration retryAfter) {
    Optional<String> requestId = license.problem().flatMap(CountersignException::requestId);
    return new Refusal(
        license, status, code, message, requestId, Optional.ofNullable(retryAfter).map(Duration::toSeconds));
  }

  private static Duration retryAfter(CountersignException problem) {
    if (problem instanceof RateLimitException limited) return limited.retryAfter();
    return problem instanceof ServerException failed ? failed.retryAfter().orElse(null) : null;
  }
}
