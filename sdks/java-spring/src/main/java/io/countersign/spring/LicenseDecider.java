package io.countersign.spring;

import io.countersign.Countersign;
import io.countersign.Decision;
import io.countersign.ValidateOptions;
import io.countersign.ValidateResult;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/** Decides for each request whether its license lets it in. */
final class LicenseDecider {
  private static final int MAX_KNOWN_KEYS = 10_000;
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);
  private static final String QUESTION = LicenseDecider.class.getName() + ".question";

  private final Countersign client;
  private final LicenseRequestReader reader;
  private final Optional<UnknownKeyLimit> limit;
  private final FailureLog failures;
  /** Keys that had a verdict other than "not found", least recently used first. */
  private final Map<String, Boolean> knownKeys = Collections.synchronizedMap(new RecentKeys());

  /** What a request says about its license. Without a key, no request is sent. */
  private record Question(String key, String version, String deviceId) {
    private ValidateOptions options() {
      ValidateOptions options = ValidateOptions.none();
      if (version != null) options = options.version(version);
      return deviceId != null ? options.deviceId(deviceId) : options;
    }
  }

  LicenseDecider(
      Countersign client, LicenseRequestReader reader, int unknownKeysPerMinute, Logger logger, LongSupplier nanos) {
    this.client = client;
    this.reader = reader;
    limit =
        unknownKeysPerMinute == 0
            ? Optional.empty()
            : Optional.of(new UnknownKeyLimit(unknownKeysPerMinute, MAX_WAIT, nanos));
    failures = new FailureLog(logger, nanos);
  }

  /**
   * The license of a request, which is also stored as an attribute. An earlier decision for the same request is reused. It
   * throws what the reader throws; then the request must not be let in.
   */
  License decide(HttpServletRequest request, String version) {
    String key = reader.key(request);
    String ownVersion = version.isEmpty() ? reader.version(request) : version;
    Question question =
        new Question(LicenseKeys.isMissing(key) ? null : key, ownVersion, reader.deviceId(request));
    Optional<License> decided = License.of(request);
    if (decided.isPresent() && question.equals(request.getAttribute(QUESTION))) return decided.get();
    License license = question.key == null ? License.missing() : validated(question, request);
    request.setAttribute(License.ATTRIBUTE, license);
    request.setAttribute(QUESTION, question);
    return license;
  }

  private License validated(Question question, HttpServletRequest request) {
    if (limit.isEmpty() || !isLimited(question)) return recorded(question, client.check(question.key, question.options()));
    String caller = CallerAddress.callerOf(reader.address(request));
    UnknownKeyLimit.Permit permit = limit.get().acquire(caller);
    Optional<Duration> limitedFor = permit.limitedFor();
    // While this thread waited, another one may have got the answer.
    if (limitedFor.isPresent() && isLimited(question)) {
      failures.recordLimit(caller);
      return License.limited(question.key, limitedFor.get());
    }
    boolean isSpent = false;
    try {
      Decision decision = client.check(question.key, question.options());
      isSpent = decision.result().filter(LicenseDecider::isUnknownAndAsked).isPresent();
      return recorded(question, decision);
    } finally {
      limit.get().finish(permit, isSpent);
    }
  }

  /** Whether the question may cost a request for an unknown key. */
  private boolean isLimited(Question question) {
    boolean isKnown = knownKeys.get(LicenseKeys.comparisonForm(question.key)) != null;
    return !isKnown && client.cached(question.key, question.options()).isEmpty();
  }

  /** A remembered verdict cost no request. */
  private static boolean isUnknownAndAsked(ValidateResult result) {
    return isUnknown(result) && result.source() != ValidateResult.Source.CACHE;
  }

  private static boolean isUnknown(ValidateResult result) {
    return result.status().equals("license_not_found");
  }

  private License recorded(Question question, Decision decision) {
    decision.problem().ifPresent(failures::recordFailure);
    decision.result().ifPresent(failures::recordVerdict);
    String key = LicenseKeys.comparisonForm(question.key);
    decision.result().ifPresent(result -> record(key, isUnknown(result)));
    return License.decided(question.key, decision);
  }

  private void record(String key, boolean isUnknown) {
    if (isUnknown) knownKeys.remove(key);
    else knownKeys.put(key, true);
  }

  private static final class RecentKeys extends LinkedHashMap<String, Boolean> {
    private static final long serialVersionUID = 1L;

    private RecentKeys() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > MAX_KNOWN_KEYS;
    }
  }
}
