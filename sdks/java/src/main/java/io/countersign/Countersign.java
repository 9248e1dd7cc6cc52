package io.countersign;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Validates licenses against a Countersign server. Create one for the whole app: it is thread-safe, caches results, and
 * concurrent calls share one request. It need not be closed.
 *
 * <pre>{@code
 * Countersign countersign = Countersign.builder()
 *     .apiKey(System.getenv("COUNTERSIGN_API_KEY"))
 *     .baseUrl("https://license.example.com")
 *     .build();
 * ValidateResult result = countersign.validate(licenseKey);
 * if (!result.valid()) throw new IllegalStateException("The license was rejected: " + result.status());
 * }</pre>
 */
public final class Countersign {
  private final Settings settings;
  private final Api api;
  private final Validations validations;
  private final LookupEndpoint lookups;
  private final Decisions decisions;

  Countersign(Settings settings) {
    this.settings = settings;
    api = new Api(settings);
    validations = new Validations(api);
    lookups = new LookupEndpoint(api);
    decisions = new Decisions(settings.isAdvisory);
  }

  /** Starts building a client. */
  public static CountersignBuilder builder() {
    return new CountersignBuilder();
  }

  /** Returns the server's verdict on a license; see {@link #validate(String, ValidateOptions)}. */
  public ValidateResult validate(String licenseKey) {
    return validate(licenseKey, ValidateOptions.none());
  }

  /**
   * Returns the server's verdict on a license. A rejection is a result, not an exception. A thrown {@link
   * CountersignException} means that there is no verdict. A key that no license can have, such as an empty one, is
   * rejected without a request.
   */
  public ValidateResult validate(String licenseKey, ValidateOptions options) {
    return await(validateAsync(licenseKey, options), options);
  }

  /** Validates without blocking a thread; see {@link #validateAsync(String, ValidateOptions)}. */
  public CompletableFuture<ValidateResult> validateAsync(String licenseKey) {
    return validateAsync(licenseKey, ValidateOptions.none());
  }

  /**
   * Validates without blocking a thread, not even between retries. Cancelling the future cancels the request, unless
   * another call shares it.
   */
  public CompletableFuture<ValidateResult> validateAsync(String licenseKey, ValidateOptions options) {
    return validations.start(licenseKey, options);
  }

  /** Returns a decision instead of a result. An unavailable server never makes it throw. */
  public Decision check(String licenseKey) {
    return check(licenseKey, ValidateOptions.none());
  }

  /** Returns a decision instead of a result. An unavailable server never makes it throw. */
  public Decision check(String licenseKey, ValidateOptions options) {
    return await(checkAsync(licenseKey, options), options);
  }

  /** Decides without blocking a thread. */
  public CompletableFuture<Decision> checkAsync(String licenseKey) {
    return checkAsync(licenseKey, ValidateOptions.none());
  }

  /** Decides without blocking a thread. Cancelling the future cancels the request, unless another call shares it. */
  public CompletableFuture<Decision> checkAsync(String licenseKey, ValidateOptions options) {
    return CancellableFuture.after(validateAsync(licenseKey, options), decisions::decide);
  }

  /** Returns the license's record. Read-only: it registers no IP address and grants nothing. */
  public LicenseRecord lookup(String licenseKey) {
    return lookup(licenseKey, ValidateOptions.none());
  }

  /** Returns the license's record. Of the options, only the timeout and the number of retries apply. */
  public LicenseRecord lookup(String licenseKey, ValidateOptions options) {
    return await(lookupAsync(licenseKey, options), options);
  }

  /** Looks up the license's record without blocking a thread. */
  public CompletableFuture<LicenseRecord> lookupAsync(String licenseKey) {
    return lookupAsync(licenseKey, ValidateOptions.none());
  }

  /** Looks up the license's record without blocking a thread. Cancelling the future cancels the request. */
  public CompletableFuture<LicenseRecord> lookupAsync(String licenseKey, ValidateOptions options) {
    if (LicenseKeys.isImpossible(licenseKey))
      return CancellableFuture.failed(new NotFoundException(ErrorDetails.NONE));
    return lookups.request(licenseKey, options);
  }

  /** Returns what {@code validate} would return without a request; see {@link #cached(String, ValidateOptions)}. */
  public Optional<ValidateResult> cached(String licenseKey) {
    return cached(licenseKey, ValidateOptions.none());
  }

  /**
   * Returns what {@code validate} would return without a request: a valid license from the cache, or the rejection of a
   * key that has no license, as far as that is known. Sends nothing.
   */
  public Optional<ValidateResult> cached(String licenseKey, ValidateOptions options) {
    return Optional.ofNullable(validations.cached(licenseKey, options));
  }

  /**
   * Returns the page of the customer portal on which the holder of a license solves a rejection: {@code
   * ip_limit_reached}, {@code ip_not_registered} or {@code expired}. It asks for sign-in first. No request is sent. The
   * URL contains the license key: give it only to the holder of that key, and keep it out of logs.
   */
  public String portalUrl(String licenseKey) {
    return PortalUrl.of(settings.baseUrl, licenseKey);
  }

  /**
   * Validates periodically, every second to every 30 days, and reports changes of the verdict. Ends with {@code
   * close()}.
   */
  public Watch watch(String licenseKey, Duration interval, Watch.Listener listener) {
    return watch(licenseKey, interval, listener, ValidateOptions.none());
  }

  /** Watches a license for a certain version or device. */
  public Watch watch(String licenseKey, Duration interval, Watch.Listener listener, ValidateOptions options) {
    ValidateOptions fresh = options.fresh();
    return new Watch(
            () -> validateAsync(licenseKey, fresh), interval, listener, settings.random, api.executor, api.reporter)
        .start();
  }

  /**
   * Clears the caches. An answer that was requested before this is not cached either. It does not lift a reached daily
   * limit.
   */
  public void forget() {
    validations.forget();
  }

  /** Without the API key. */
  @Override
  public String toString() {
    return "Countersign[baseUrl=" + settings.baseUrl + "]";
  }

  private <T> T await(CompletableFuture<T> call, ValidateOptions options) {
    return Waiting.await(call, options.timeout != null ? options.timeout : settings.timeout);
  }
}
