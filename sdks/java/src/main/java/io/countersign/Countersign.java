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
 * Asks a Countersign server about licenses. Make one for the whole app: it remembers, asks once for many threads, and
 * may be used from all of them.
 *
 * <pre>{@code
 * Countersign countersign = Countersign.builder()
 *     .apiKey(System.getenv("COUNTERSIGN_API_KEY"))
 *     .baseUrl("https://licenses.example.com")
 *     .build();
 * ValidateResult result = countersign.validate(licenseKey);
 * if (!result.valid()) throw new IllegalStateException("The license is refused: " + result.status());
 * }</pre>
 */
public final class Countersign {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final CountersignBuilder settings;
  private final Transport transport;
  private final Latch latch;
  private final Cache<ValidateResult> cache;
  private final Grace grace;
  private final Map<String, CompletableFuture<ValidateResult>> underWay = new ConcurrentHashMap<>();
  private final Executor threads = task -> daemon(task).start();

  Countersign(CountersignBuilder settings) {
    this.settings = settings;
    Clock clock = settings.clock;
    transport = new Transport(settings.baseUrl, settings.timeout, settings.http, clock, settings.random);
    latch = new Latch(clock);
    cache = new Cache<>(settings.cacheEntries, clock::steadyMillis);
    grace =
        new Grace(settings.grace.toMillis(), settings.graceStore, settings.apiKey, clock, settings.cacheEntries);
  }

  /** Where every client begins. */
  public static CountersignBuilder builder() {
    return new CountersignBuilder();
  }

  /** The server's verdict about a license; see {@link #validate(String, ValidateOptions)}. */
  public ValidateResult validate(String licenseKey) {
    return validate(licenseKey, ValidateOptions.none());
  }

  /**
   * The server's verdict about a license. A refusal is a result, not an exception; what is thrown is a {@link
   * CountersignException} and means that there is no verdict.
   */
  public ValidateResult validate(String licenseKey, ValidateOptions options) {
    return waited(asking(licenseKey, options));
  }

  /** The same without waiting for it here. */
  public CompletableFuture<ValidateResult> validateAsync(String licenseKey) {
    return validateAsync(licenseKey, ValidateOptions.none());
  }

  /** The same without waiting for it here. */
  public CompletableFuture<ValidateResult> validateAsync(String licenseKey, ValidateOptions options) {
    try {
      // A copy, so that whoever cancels theirs takes nothing from the others who wait for it.
      return asking(licenseKey, options).copy();
    } catch (IllegalArgumentException wrong) {
      return CompletableFuture.failedFuture(wrong);
    }
  }

  /** The same as an answer to "may they go on?", which is never thrown for want of a server. */
  public Decision check(String licenseKey) {
    return check(licenseKey, ValidateOptions.none());
  }

  /** The same as an answer to "may they go on?", which is never thrown for want of a server. */
  public Decision check(String licenseKey, ValidateOptions options) {
    try {
      return decided(validate(licenseKey, options));
    } catch (CountersignException problem) {
      return decided(problem);
    }
  }

  /** The same without waiting for it here. */
  public CompletableFuture<Decision> checkAsync(String licenseKey) {
    return checkAsync(licenseKey, ValidateOptions.none());
  }

  /** The same without waiting for it here. */
  public CompletableFuture<Decision> checkAsync(String licenseKey, ValidateOptions options) {
    return validateAsync(licenseKey, options)
        .handle(
            (result, problem) -> {
              if (problem == null) return decided(result);
              Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
              if (cause instanceof CountersignException) return decided((CountersignException) cause);
              throw new CompletionException(cause);
            });
  }

  /** The license's record. Read-only: it registers no address and grants nothing. */
  public LicenseRecord lookup(String licenseKey) {
    checkKey(licenseKey);
    String name = URLEncoder.encode(licenseKey, UTF_8).replace("+", "%20");
    Transport.Reply reply = send(headed("/api/v1/license/" + name).GET());
    String body = new String(reply.body, UTF_8);
    Map<String, Object> problem = reply.status == 404 ? Json.object(body) : null;
    if (problem != null && Long.valueOf(404).equals(problem.get("statusCode")))
      throw new NotFoundException(reply.requestId);
    LicenseRecord license = reply.status == 200 ? LicenseRecord.read(body) : null;
    if (license == null) throw unusable(reply);
    return license;
  }

  /** The same without waiting for it here. */
  public CompletableFuture<LicenseRecord> lookupAsync(String licenseKey) {
    return CompletableFuture.supplyAsync(() -> lookup(licenseKey), threads);
  }

  /** Asks again and again, in a thread of its own, and tells when the verdict changes. Ends with {@code close()}. */
  public Watch watch(String licenseKey, Duration interval, Watch.Listener listener) {
    return watch(licenseKey, interval, listener, ValidateOptions.none());
  }

  /** The same for a version or a device. */
  public Watch watch(String licenseKey, Duration interval, Watch.Listener listener, ValidateOptions options) {
    checkKey(licenseKey);
    return new Watch(() -> validate(licenseKey, options.fresh()), interval, listener, settings.random);
  }

  /** Forgets what was remembered about every license, though not that the day's limit is used up. */
  public void forget() {
    cache.clear();
  }

  private static Decision decided(ValidateResult result) {
    return new Decision(result.valid(), result, null);
  }

  private Decision decided(CountersignException problem) {
    // Whoever forges an answer gains nothing by it in either mode.
    boolean isForged = problem instanceof SignatureException;
    return new Decision(settings.isAdvisory && !isForged, null, problem);
  }

  /**
   * What is remembered, or the one question that is under way. It is asked in a thread of its own: when one of those
   * who wait is interrupted, the others still get their answer.
   */
  private CompletableFuture<ValidateResult> asking(String licenseKey, ValidateOptions options) {
    checkKey(licenseKey);
    String version = options.version != null ? options.version : settings.version;
    String deviceId = options.deviceId != null ? options.deviceId : settings.deviceId;
    String key = Json.write(Arrays.asList(licenseKey, version, deviceId));
    ValidateResult known = options.fresh ? null : cache.get(key);
    if (known != null) return CompletableFuture.completedFuture(known.from(ValidateResult.Source.CACHE));
    CompletableFuture<ValidateResult> mine = new CompletableFuture<>();
    CompletableFuture<ValidateResult> before = underWay.putIfAbsent(key, mine);
    if (before != null) return before;
    try {
      threads.execute(() -> answer(mine, key, licenseKey, version, deviceId));
    } catch (RuntimeException | Error noThread) {
      underWay.remove(key, mine);
      mine.completeExceptionally(noThread);
    }
    return mine;
  }

  private void answer(
      CompletableFuture<ValidateResult> asking, String key, String licenseKey, String version, String deviceId) {
    try {
      ValidateResult result = ask(key, licenseKey, version, deviceId);
      underWay.remove(key, asking);
      asking.complete(result);
    } catch (RuntimeException | Error failure) {
      // First out of the way: whoever is told of the failure may ask anew at once.
      underWay.remove(key, asking);
      asking.completeExceptionally(failure);
    }
  }

  private ValidateResult ask(String key, String licenseKey, String version, String deviceId) {
    ValidateResult result;
    try {
      result = askVerdict(licenseKey, version, deviceId);
    } catch (CountersignException problem) {
      boolean isAway =
          problem instanceof ConnectionException
              || problem instanceof ServerException && ((ServerException) problem).status() >= 500;
      ValidateResult lastWord = isAway ? grace.lastWord(licenseKey, key) : null;
      if (lastWord == null) throw problem;
      return lastWord;
    }
    cache.set(key, result, result.valid() ? millisToRemember(result) : 0);
    if (result.valid()) grace.granted(licenseKey, key, result);
    else grace.refused(licenseKey);
    return result;
  }

  private ValidateResult askVerdict(String licenseKey, String version, String deviceId) {
    Map<String, Object> question = new LinkedHashMap<>();
    question.put("license_key", licenseKey);
    if (version != null) question.put("version", version);
    if (deviceId != null) question.put("device_id", deviceId);
    String nonce = nonce();
    HttpRequest.Builder request = headed("/api/v1/validate").header("Content-Type", "application/json");
    if (settings.signing != null) request.header("X-Countersign-Nonce", nonce);
    Transport.Reply reply = send(request.POST(HttpRequest.BodyPublishers.ofString(Json.write(question))));
    if (reply.status != 200) throw unusable(reply);
    long nowMillis = settings.clock.wallMillis();
    if (settings.signing != null) {
      String problem = Signatures.problem(reply.body, settings.signing, licenseKey, nonce, nowMillis);
      if (problem != null) throw new SignatureException(problem, reply.requestId);
    }
    ValidateResult result =
        ValidateResult.read(
            new String(reply.body, UTF_8),
            ValidateResult.Source.SERVER,
            Instant.ofEpochMilli(nowMillis),
            reply.requestId);
    if (result == null) throw unusable(reply);
    return result;
  }

  private Transport.Reply send(HttpRequest.Builder question) {
    latch.check();
    Transport.Reply reply = transport.ask(question);
    if (reply.status == 401) throw new AuthenticationException(reply.requestId);
    if (reply.status == 429) throw latch.shut(secondsIn(reply), reply.requestId);
    return reply;
  }

  private HttpRequest.Builder headed(String path) {
    return transport
        .request(path)
        .header("Authorization", "Bearer " + settings.apiKey)
        .header("Accept", "application/json");
  }

  /** Never beyond the end of the license. */
  private long millisToRemember(ValidateResult result) {
    long mostMillis = settings.cache.toMillis();
    return result
        .expires()
        .map(end -> Math.min(mostMillis, end.toEpochMilli() - settings.clock.wallMillis()))
        .orElse(mostMillis);
  }

  private static ServerException unusable(Transport.Reply reply) {
    boolean isElsewhere = reply.status == 404 || reply.status < 400;
    String hint = isElsewhere ? " Is baseUrl the address of a Countersign server?" : "";
    return new ServerException(
        "The server's answer (" + reply.status + ") cannot be used." + hint, reply.status, reply.requestId);
  }

  /** Until midnight UTC at the latest; a minute where the server does not say. */
  private static long secondsIn(Transport.Reply reply) {
    Map<String, Object> body = Json.object(new String(reply.body, UTF_8));
    String said =
        reply.headers
            .firstValue("retry-after")
            .orElse(body == null ? "" : String.valueOf(body.get("retry_after")));
    if (!said.matches("[0-9]{1,18}(\\.[0-9]{1,18})?")) return 60;
    long seconds = (long) Math.ceil(Double.parseDouble(said));
    return seconds == 0 ? 60 : Math.min(seconds, 86_400);
  }

  private static String nonce() {
    byte[] bytes = new byte[18];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static void checkKey(String licenseKey) {
    if (licenseKey == null || licenseKey.isBlank())
      throw new IllegalArgumentException("licenseKey should be the customer's license key.");
  }

  private static ValidateResult waited(CompletableFuture<ValidateResult> asking) {
    try {
      return asking.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException) throw (RuntimeException) failed.getCause();
      if (failed.getCause() instanceof Error) throw (Error) failed.getCause();
      throw new IllegalStateException(failed.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ConnectionException("The thread was interrupted while it waited for the answer.", interrupted);
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "countersign");
    thread.setDaemon(true);
    return thread;
  }
}
