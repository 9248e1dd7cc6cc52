package io.countersign;

import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** The settings of a client. All except the API key and the URL have defaults. */
public final class CountersignBuilder {
  private final Settings settings = new Settings();

  CountersignBuilder() {}

  /** The product's API key, {@code csk_…}. Defaults to the environment variable {@code COUNTERSIGN_API_KEY}. */
  public CountersignBuilder apiKey(String apiKey) {
    settings.apiKey = apiKey;
    return this;
  }

  /** The URL of the Countersign server. Defaults to the environment variable {@code COUNTERSIGN_URL}. */
  public CountersignBuilder baseUrl(String baseUrl) {
    settings.baseUrl = baseUrl;
    return this;
  }

  /** For the whole call, including retries. Defaults to five seconds. */
  public CountersignBuilder timeout(Duration timeout) {
    settings.timeout = Settings.timeout(timeout);
    return this;
  }

  /** How often a failed connection or a 5xx is retried: 0 to 5, by default once. */
  public CountersignBuilder retries(int retries) {
    settings.retries = Settings.retries(retries);
    return this;
  }

  /** If set, a response without a valid signature is rejected with a {@link SignatureException}. */
  public CountersignBuilder signing(Signing signing) {
    settings.signing = signing;
    return this;
  }

  /** How long a valid license is cached. Defaults to five minutes; zero disables caching. */
  public CountersignBuilder cache(Duration cache) {
    settings.cache = Settings.within("cache", cache, Duration.ZERO, Duration.ofDays(1));
    return this;
  }

  /**
   * How long it is remembered that there is no license with a key, so that made-up keys do not use up the daily limit.
   * Defaults to 30 seconds; at most an hour, and zero disables it.
   */
  public CountersignBuilder notFoundCache(Duration notFoundCache) {
    settings.notFoundCache = Settings.within("notFoundCache", notFoundCache, Duration.ZERO, Duration.ofHours(1));
    return this;
  }

  /** The maximum number of cached licenses, and of remembered keys without one. Defaults to 1,000. */
  public CountersignBuilder cacheEntries(int cacheEntries) {
    if (cacheEntries < 0) throw new IllegalArgumentException("cacheEntries must be 0 or more.");
    settings.cacheEntries = cacheEntries;
    return this;
  }

  /** How long a valid license stays valid without a verdict: at most 30 days. Defaults to zero, which is off. */
  public CountersignBuilder grace(Duration grace) {
    settings.grace = Settings.within("grace", grace, Duration.ZERO, Duration.ofDays(30));
    return this;
  }

  /** Stores the grace period across restarts. Defaults to memory. */
  public CountersignBuilder graceStore(GraceStore graceStore) {
    settings.graceStore = graceStore;
    return this;
  }

  /** Makes {@code check} allow access without a verdict. */
  public CountersignBuilder advisory() {
    settings.isAdvisory = true;
    return this;
  }

  /**
   * Accepts test API keys ({@code cskt_…}) and responses of the sandbox. For tests only: the fixed license keys of the
   * sandbox are valid for everyone.
   */
  public CountersignBuilder allowSandbox() {
    settings.allowsSandbox = true;
    return this;
  }

  /**
   * Sent with every validation, for the seller's information; it does not affect the verdict. Entries of the grace
   * store are bound to it: a copy does not work on a device with another ID.
   */
  public CountersignBuilder deviceId(String deviceId) {
    settings.deviceId = deviceId;
    return this;
  }

  /** Sent with every validation, unless the call specifies another. */
  public CountersignBuilder version(String version) {
    settings.version = version;
    return this;
  }

  /** Added to the {@code User-Agent} header, such as {@code my-app/1.0}. */
  public CountersignBuilder userAgent(String userAgent) {
    if (userAgent != null && !userAgent.matches("[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?"))
      throw new IllegalArgumentException("userAgent must be printable ASCII.");
    settings.userAgent = userAgent;
    return this;
  }

  /** For custom certificates and authentication. It must not follow redirects, which would forward the API key. */
  public CountersignBuilder httpClient(HttpClient http) {
    settings.http = http;
    return this;
  }

  /**
   * The proxy. Defaults to the one of the Java runtime, with its system properties such as {@code https.proxyHost}. The
   * environment variable {@code HTTPS_PROXY} is not used.
   */
  public CountersignBuilder proxy(ProxySelector proxy) {
    settings.proxy = proxy;
    return this;
  }

  /**
   * Runs everything after a response: verification, the grace store, listeners and stages of returned futures, and,
   * unless {@link #httpClient} is set, the tasks of the HTTP client. Defaults to a few threads that all clients share.
   * A call does not occupy a thread while it waits, so a small pool is enough. Its threads must not call the blocking
   * methods of the client.
   */
  public CountersignBuilder executor(Executor executor) {
    settings.executor = executor;
    return this;
  }

  /** Logs retries, outages and failing callbacks. Defaults to none; see {@link CountersignLogger#system()}. */
  public CountersignBuilder logger(CountersignLogger logger) {
    settings.logger = logger;
    return this;
  }

  /** Called before every request, including retries. */
  public CountersignBuilder onRequest(Consumer<RequestEvent> onRequest) {
    if (onRequest == null) throw new IllegalArgumentException("onRequest must not be null.");
    settings.onRequest = onRequest;
    return this;
  }

  /** Called after every request, with its response or error. */
  public CountersignBuilder onResponse(Consumer<ResponseEvent> onResponse) {
    if (onResponse == null) throw new IllegalArgumentException("onResponse must not be null.");
    settings.onResponse = onResponse;
    return this;
  }

  CountersignBuilder clock(Clock clock, DoubleSupplier random) {
    settings.clock = clock;
    settings.random = random;
    return this;
  }

  /** Throws an {@link IllegalArgumentException} that names an invalid setting and says what it must be. */
  public Countersign build() {
    return new Countersign(settings.checked());
  }
}
