package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

/**
 * Validates licenses against a Countersign server. Create one for the whole app: it is thread-safe, caches results, and
 * concurrent calls share one request.
 *
 * <pre>{@code
 * Countersign countersign = Countersign.builder()
 *     .apiKey(System.getenv("COUNTERSIGN_API_KEY"))
 *     .baseUrl("https://licenses.example.com")
 *     .build();
 * ValidateResult result = countersign.validate(licenseKey);
 * if (!result.valid()) throw new IllegalStateException("The license was rejected: " + result.status());
 * }</pre>
 */
public final class Countersign {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String TEST_KEY_PREFIX = "cskt_";

  private final CountersignBuilder settings;
  private final Transport transport;
  private final RateLimitGate rateLimitGate;
  private final Cache<ValidateResult> cache;
  private final Grace grace;
  private final Map<String, CompletableFuture<ValidateResult>> pending = new ConcurrentHashMap<>();
  private final Executor threads = task -> daemon(task).start();

  Countersign(CountersignBuilder settings) {
    this.settings = settings;
    Clock clock = settings.clock;
    transport = new Transport(settings.baseUrl, settings.timeout, settings.http, clock, settings.random);
    rateLimitGate = new RateLimitGate(clock);
    cache = new Cache<>(settings.cacheEntries, clock::steadyMillis);
    grace =
        new Grace(settings.grace.toMillis(), settings.graceStore, settings.apiKey, clock, settings.cacheEntries);
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
   * CountersignException} means that there is no verdict.
   */
  public ValidateResult validate(String licenseKey, ValidateOptions options) {
    return await(startValidation(licenseKey, options));
  }

  /** Validates without blocking the calling thread. */
  public CompletableFuture<ValidateResult> validateAsync(String licenseKey) {
    return validateAsync(licenseKey, ValidateOptions.none());
  }

  /** Validates without blocking the calling thread. */
  public CompletableFuture<ValidateResult> validateAsync(String licenseKey, ValidateOptions options) {
    try {
      // A copy, so that cancelling it does not cancel the request for other callers.
      return startValidation(licenseKey, options).copy();
    } catch (IllegalArgumentException wrong) {
      return CompletableFuture.failedFuture(wrong);
    }
  }

  /** Returns a decision instead of a result. An unavailable server never makes it throw. */
  public Decision check(String licenseKey) {
    return check(licenseKey, ValidateOptions.none());
  }

  /** Returns a decision instead of a result. An unavailable server never makes it throw. */
  public Decision check(String licenseKey, ValidateOptions options) {
    try {
      return decisionFor(validate(licenseKey, options));
    } catch (CountersignException problem) {
      return decisionFor(problem);
    }
  }

  /** Decides without blocking the calling thread. */
  public CompletableFuture<Decision> checkAsync(String licenseKey) {
    return checkAsync(licenseKey, ValidateOptions.none());
  }

  /** Decides without blocking the calling thread. */
  public CompletableFuture<Decision> checkAsync(String licenseKey, ValidateOptions options) {
    return validateAsync(licenseKey, options)
        .handle(
            (result, problem) -> {
              if (problem == null) return decisionFor(result);
              Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
              if (cause instanceof CountersignException) return decisionFor((CountersignException) cause);
              throw new CompletionException(cause);
            });
  }

  /** Returns the license's record. Read-only: it registers no IP address and grants nothing. */
  public LicenseRecord lookup(String licenseKey) {
    requireLicenseKey(licenseKey);
    String name = URLEncoder.encode(licenseKey, UTF_8).replace("+", "%20");
    Transport.Response response = send(requestTo("/api/v1/license/" + name).GET());
    String body = new String(response.body, UTF_8);
    Map<String, Object> problem = response.status == 404 ? Json.object(body) : null;
    if (problem != null && Long.valueOf(404).equals(problem.get("statusCode")))
      throw new NotFoundException(response.requestId);
    LicenseRecord license = response.status == 200 ? LicenseRecord.read(body) : null;
    if (license == null) throw unusable(response);
    return license;
  }

  /** Looks up the license's record without blocking the calling thread. */
  public CompletableFuture<LicenseRecord> lookupAsync(String licenseKey) {
    return CompletableFuture.supplyAsync(() -> lookup(licenseKey), threads);
  }

  /**
   * Returns the page of the customer portal on which the holder of a license solves a rejection: {@code
   * ip_limit_reached}, {@code ip_not_registered} or {@code expired}. It asks for sign-in first. No request is sent. The
   * URL contains the license key: give it only to the holder of that key, and keep it out of logs.
   */
  public String portalUrl(String licenseKey) {
    return PortalUrl.of(settings.baseUrl, licenseKey);
  }

  /** Validates periodically in a separate thread, and reports changes of the verdict. Ends with {@code close()}. */
  public Watch watch(String licenseKey, Duration interval, Watch.Listener listener) {
    return watch(licenseKey, interval, listener, ValidateOptions.none());
  }

  /** Watches a license for a certain version or device. */
  public Watch watch(String licenseKey, Duration interval, Watch.Listener listener, ValidateOptions options) {
    requireLicenseKey(licenseKey);
    return new Watch(() -> validate(licenseKey, options.fresh()), interval, listener, settings.random);
  }

  /** Clears the cache. It does not lift a reached daily limit. */
  public void forget() {
    cache.clear();
  }

  private static Decision decisionFor(ValidateResult result) {
    return new Decision(result.valid(), result, null);
  }

  private Decision decisionFor(CountersignException problem) {
    // A forged response and one of the sandbox are never allowed, in either mode.
    boolean isForged = problem instanceof SignatureException || problem instanceof SandboxException;
    return new Decision(settings.isAdvisory && !isForged, null, problem);
  }

  /**
   * Returns the cached result, or the shared request. The request runs in its own thread: if a waiting thread is
   * interrupted, the others still get the result.
   */
  private CompletableFuture<ValidateResult> startValidation(String licenseKey, ValidateOptions options) {
    requireLicenseKey(licenseKey);
    String version = options.version != null ? options.version : settings.version;
    String deviceId = options.deviceId != null ? options.deviceId : settings.deviceId;
    String key = Json.write(Arrays.asList(licenseKey, version, deviceId));
    ValidateResult cached = options.fresh ? null : cache.get(key);
    if (cached != null) return CompletableFuture.completedFuture(cached.from(ValidateResult.Source.CACHE));
    CompletableFuture<ValidateResult> mine = new CompletableFuture<>();
    CompletableFuture<ValidateResult> existing = pending.putIfAbsent(key, mine);
    if (existing != null) return existing;
    try {
      threads.execute(() -> complete(mine, key, licenseKey, version, deviceId));
    } catch (RuntimeException | Error noThread) {
      pending.remove(key, mine);
      mine.completeExceptionally(noThread);
    }
    return mine;
  }

  private void complete(
      CompletableFuture<ValidateResult> validation, String key, String licenseKey, String version, String deviceId) {
    try {
      ValidateResult result = validateNow(key, licenseKey, version, deviceId);
      pending.remove(key, validation);
      validation.complete(result);
    } catch (RuntimeException | Error failure) {
      // Removed first, so that a caller that sees the failure can retry immediately.
      pending.remove(key, validation);
      validation.completeExceptionally(failure);
    }
  }

  private ValidateResult validateNow(String key, String licenseKey, String version, String deviceId) {
    Verdict verdict;
    try {
      verdict = requestVerdict(licenseKey, version, deviceId);
    } catch (CountersignException problem) {
      boolean isUnreachable =
          problem instanceof ConnectionException
              || problem instanceof ServerException && ((ServerException) problem).status() >= 500;
      ValidateResult graceResult = isUnreachable ? grace.graceResult(licenseKey, key) : null;
      if (graceResult == null) throw problem;
      return graceResult;
    }
    ValidateResult result = verdict.result;
    cache.set(key, result, result.valid() ? millisToCache(result) : 0);
    // The sandbox says nothing about real licenses.
    if (verdict.isFromSandbox) return result;
    if (result.valid()) grace.recordGrant(licenseKey, key, result);
    else grace.recordRejection(licenseKey);
    return result;
  }

  private Verdict requestVerdict(String licenseKey, String version, String deviceId) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("license_key", licenseKey);
    if (version != null) body.put("version", version);
    if (deviceId != null) body.put("device_id", deviceId);
    String nonce = nonce();
    HttpRequest.Builder request = requestTo("/api/v1/validate").header("Content-Type", "application/json");
    if (settings.signing != null) request.header("X-Countersign-Nonce", nonce);
    Transport.Response response = send(request.POST(HttpRequest.BodyPublishers.ofString(Json.write(body))));
    if (response.status != 200) throw unusable(response);
    long nowMillis = settings.clock.wallMillis();
    if (settings.signing != null) {
      String problem = Signatures.problem(response.body, settings.signing, licenseKey, nonce, nowMillis);
      if (problem != null) throw new SignatureException(problem, response.requestId);
    }
    ValidateResult result =
        ValidateResult.read(
            new String(response.body, UTF_8),
            ValidateResult.Source.SERVER,
            Instant.ofEpochMilli(nowMillis),
            response.requestId);
    if (result == null) throw unusable(response);
    return new Verdict(result, isFromSandbox(response));
  }

  private Transport.Response send(HttpRequest.Builder request) {
    if (!settings.allowsSandbox && settings.apiKey.startsWith(TEST_KEY_PREFIX))
      throw new SandboxException("The API key is a test API key, which is not allowed here.", null);
    rateLimitGate.check();
    Transport.Response response = transport.send(request);
    boolean isSandbox = isFromSandbox(response);
    if (isSandbox && !settings.allowsSandbox)
      throw new SandboxException("The response is from the sandbox, so it grants nothing.", response.requestId);
    if (response.status == 401) throw new AuthenticationException(response.requestId);
    if (response.status == 429) {
      long seconds = retryAfterSeconds(response);
      // The sandbox has no limit: other calls can continue.
      if (!isSandbox) rateLimitGate.close(seconds, response.requestId);
      throw rateLimitGate.exception(seconds, response.requestId);
    }
    return response;
  }

  private static boolean isFromSandbox(Transport.Response response) {
    return response.headers.firstValue("x-countersign-sandbox").filter("true"::equals).isPresent();
  }

  private HttpRequest.Builder requestTo(String path) {
    return transport
        .request(path)
        .header("Authorization", "Bearer " + settings.apiKey)
        .header("Accept", "application/json");
  }

  /** Never past the license's expiry. */
  private long millisToCache(ValidateResult result) {
    long maxMillis = settings.cache.toMillis();
    return result
        .expires()
        .map(end -> Math.min(maxMillis, end.toEpochMilli() - settings.clock.wallMillis()))
        .orElse(maxMillis);
  }

  private static ServerException unusable(Transport.Response response) {
    boolean isOtherServer = response.status == 404 || response.status < 400;
    String hint = isOtherServer ? " Check that baseUrl is the URL of a Countersign server." : "";
    return new ServerException(
        "The server sent an unusable response (HTTP " + response.status + ")." + hint,
        response.status,
        response.requestId);
  }

  /** At most a day; a minute if the server gives no time. */
  private static long retryAfterSeconds(Transport.Response response) {
    Map<String, Object> body = Json.object(new String(response.body, UTF_8));
    String value =
        response.headers
            .firstValue("retry-after")
            .orElse(body == null ? "" : String.valueOf(body.get("retry_after")));
    if (!value.matches("[0-9]{1,18}(\\.[0-9]{1,18})?")) return 60;
    long seconds = (long) Math.ceil(Double.parseDouble(value));
    return seconds == 0 ? 60 : Math.min(seconds, 86_400);
  }

  private static String nonce() {
    byte[] bytes = new byte[18];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static void requireLicenseKey(String licenseKey) {
    if (licenseKey == null || licenseKey.isBlank())
      throw new IllegalArgumentException("licenseKey must be a license key that is not empty.");
  }

  private static ValidateResult await(CompletableFuture<ValidateResult> validation) {
    try {
      return validation.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException) throw (RuntimeException) failed.getCause();
      if (failed.getCause() instanceof Error) throw (Error) failed.getCause();
      throw new IllegalStateException(failed.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ConnectionException("The thread was interrupted while it waited for the response.", interrupted);
    }
  }

  private static final class Verdict {
    final ValidateResult result;
    final boolean isFromSandbox;

    Verdict(ValidateResult result, boolean isFromSandbox) {
      this.result = result;
      this.isFromSandbox = isFromSandbox;
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "countersign");
    thread.setDaemon(true);
    return thread;
  }
}
