package io.countersign;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** Validates with the caches, the shared requests and the grace period. */
final class Validations {
  private final Settings settings;
  private final Api api;
  private final ValidateEndpoint endpoint;
  private final Cache<ValidateResult> valid;
  /** Separate, so that made-up keys never evict valid licenses. */
  private final Cache<ValidateResult> notFound;

  private final PendingRequests pending;
  private final Grace grace;

  Validations(Api api) {
    this.api = api;
    settings = api.settings;
    endpoint = new ValidateEndpoint(api);
    valid = new Cache<>(settings.cacheEntries, settings.clock::steadyMillis);
    notFound = new Cache<>(settings.cacheEntries, settings.clock::steadyMillis);
    pending = new PendingRequests(api.executor);
    grace = Grace.of(settings, api.reporter);
  }

  /** The result without a request; null if there is none. */
  ValidateResult cached(String licenseKey, ValidateOptions options) {
    if (LicenseKeys.isImpossible(licenseKey))
      return ValidateResult.impossibleKey(Instant.ofEpochMilli(settings.clock.wallMillis()));
    // A valid verdict removes it, so if there is one, it is the newer of the two.
    ValidateResult found = notFound.get(LicenseKeys.comparisonForm(licenseKey));
    if (found == null) found = valid.get(cacheKey(licenseKey, complete(options)));
    return found == null ? null : found.from(ValidateResult.Source.CACHE);
  }

  CompletableFuture<ValidateResult> start(String licenseKey, ValidateOptions given) {
    boolean needsServer = given.fresh && !LicenseKeys.isImpossible(licenseKey);
    ValidateResult cached = needsServer ? null : cached(licenseKey, given);
    if (cached != null) {
      if (cached.valid() && grace.isTouchDue(licenseKey)) api.executor.execute(() -> grace.touch(licenseKey));
      return CompletableFuture.completedFuture(cached);
    }
    ValidateOptions options = complete(given);
    String cacheKey = cacheKey(licenseKey, options);
    // Calls with other limits do not share: the timeout of one must not become that of another.
    String requestKey = Json.write(Arrays.asList(cacheKey, String.valueOf(options.timeout), options.retries));
    return pending.join(
        LicenseKeys.comparisonForm(licenseKey),
        requestKey,
        options.fresh,
        shared ->
            CancellableFuture.after(
                endpoint.request(licenseKey, options),
                (verdict, failure) -> finish(shared, licenseKey, cacheKey, verdict, failure)));
  }

  void forget() {
    pending.forget(
        () -> {
          valid.clear();
          notFound.clear();
        });
  }

  private ValidateResult finish(
      SharedRequest shared, String licenseKey, String cacheKey, ValidateEndpoint.Verdict verdict, Throwable failure)
      throws Throwable {
    try {
      if (failure != null) return withoutVerdict(licenseKey, cacheKey, failure);
      api.reporter.verdict();
      record(shared, licenseKey, cacheKey, verdict);
      return verdict.result;
    } finally {
      // Before the caller sees the outcome, so that it can retry immediately.
      pending.end(shared);
    }
  }

  private void record(SharedRequest shared, String licenseKey, String cacheKey, ValidateEndpoint.Verdict verdict) {
    ValidateResult result = verdict.result;
    pending.ifCurrent(
        shared,
        () -> {
          boolean isNotFound = result.knownStatus() == Status.LICENSE_NOT_FOUND;
          valid.set(cacheKey, result, result.valid() ? millisToCache(result) : 0);
          if (isNotFound) notFound.set(shared.license, result, settings.notFoundCache.toMillis());
          else notFound.remove(shared.license);
        });
    // The sandbox says nothing about real licenses.
    if (verdict.isFromSandbox) return;
    if (result.valid()) grace.recordGrant(licenseKey, cacheKey, result, () -> pending.isCurrent(shared));
    else grace.recordRejection(licenseKey, () -> pending.isCurrent(shared));
  }

  private ValidateResult withoutVerdict(String licenseKey, String cacheKey, Throwable failure) throws Throwable {
    if (!(failure instanceof CountersignException)) throw failure;
    CountersignException problem = (CountersignException) failure;
    boolean isCovered =
        problem instanceof ConnectionException
            || problem instanceof ServerException
            || problem instanceof RateLimitException;
    ValidateResult result = isCovered ? grace.graceResult(licenseKey, cacheKey) : null;
    if (result != null) {
      api.reporter.graceUsed(problem);
      return result;
    }
    if (!isCovered) grace.touch(licenseKey);
    api.reporter.withoutVerdict(problem);
    throw problem;
  }

  /** With the client's version and device, unless the call has its own. */
  private ValidateOptions complete(ValidateOptions options) {
    ValidateOptions result = options;
    if (result.version == null) result = result.version(settings.version);
    return result.deviceId == null ? result.deviceId(settings.deviceId) : result;
  }

  private static String cacheKey(String licenseKey, ValidateOptions options) {
    return Json.write(Arrays.asList(licenseKey, options.version, options.deviceId));
  }

  /** Never past the license's expiry. */
  private long millisToCache(ValidateResult result) {
    Duration max = settings.cache;
    long nowMillis = settings.clock.wallMillis();
    return result.expires().map(end -> Math.min(max.toMillis(), end.toEpochMilli() - nowMillis)).orElse(max.toMillis());
  }
}
