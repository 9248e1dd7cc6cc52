package io.countersign;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** The settings of a client. All except the API key and the URL have defaults. */
public final class CountersignBuilder {
  private static final Duration MAX_GRACE = Duration.ofDays(30);

  String apiKey = System.getenv("COUNTERSIGN_API_KEY");
  String baseUrl = System.getenv("COUNTERSIGN_URL");
  Duration timeout = Duration.ofSeconds(5);
  Signing signing;
  Duration cache = Duration.ofMinutes(5);
  int cacheEntries = 1_000;
  Duration grace = Duration.ZERO;
  GraceStore graceStore;
  boolean isAdvisory;
  boolean allowsSandbox;
  String deviceId;
  String version;
  HttpClient http;
  Clock clock = Clock.SYSTEM;
  DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

  CountersignBuilder() {}

  /** A client has its own copy, so that later changes to the builder do not affect it. */
  private CountersignBuilder(CountersignBuilder other) {
    apiKey = other.apiKey;
    baseUrl = other.baseUrl;
    timeout = other.timeout;
    signing = other.signing;
    cache = other.cache;
    cacheEntries = other.cacheEntries;
    grace = other.grace;
    graceStore = other.graceStore;
    isAdvisory = other.isAdvisory;
    allowsSandbox = other.allowsSandbox;
    deviceId = other.deviceId;
    version = other.version;
    http = other.http;
    clock = other.clock;
    random = other.random;
  }

  /** The product's API key, {@code csk_…}. Defaults to the environment variable {@code COUNTERSIGN_API_KEY}. */
  public CountersignBuilder apiKey(String apiKey) {
    this.apiKey = apiKey;
    return this;
  }

  /** The URL of the Countersign server. Defaults to the environment variable {@code COUNTERSIGN_URL}. */
  public CountersignBuilder baseUrl(String baseUrl) {
    this.baseUrl = baseUrl;
    return this;
  }

  /** For the whole call, including the retry. Defaults to five seconds. */
  public CountersignBuilder timeout(Duration timeout) {
    this.timeout = within("timeout", timeout, Duration.ofMillis(1), Duration.ofMinutes(2));
    return this;
  }

  /** If set, a response without a valid signature is rejected with a {@link SignatureException}. */
  public CountersignBuilder signing(Signing signing) {
    this.signing = signing;
    return this;
  }

  /** How long a valid license is cached. Defaults to five minutes; zero disables caching. */
  public CountersignBuilder cache(Duration cache) {
    this.cache = within("cache", cache, Duration.ZERO, Duration.ofDays(1));
    return this;
  }

  /** The maximum number of cached licenses. Defaults to 1,000. */
  public CountersignBuilder cacheEntries(int cacheEntries) {
    if (cacheEntries < 0) throw new IllegalArgumentException("cacheEntries must be 0 or more.");
    this.cacheEntries = cacheEntries;
    return this;
  }

  /** How long a valid license stays valid while the server is unreachable. Defaults to zero, which is off. */
  public CountersignBuilder grace(Duration grace) {
    this.grace = within("grace", grace, Duration.ZERO, MAX_GRACE);
    return this;
  }

  /** Stores the grace period across restarts. Defaults to memory. */
  public CountersignBuilder graceStore(GraceStore graceStore) {
    this.graceStore = graceStore;
    return this;
  }

  /** Makes {@code check} allow access without a verdict. */
  public CountersignBuilder advisory() {
    this.isAdvisory = true;
    return this;
  }

  /**
   * Accepts test API keys ({@code cskt_…}) and responses of the sandbox. For tests only: the fixed license keys of the
   * sandbox are valid for everyone.
   */
  public CountersignBuilder allowSandbox() {
    this.allowsSandbox = true;
    return this;
  }

  /** Sent with every validation, for the seller's information. It does not affect the verdict. */
  public CountersignBuilder deviceId(String deviceId) {
    this.deviceId = deviceId;
    return this;
  }

  /** Sent with every validation, unless the call specifies another. */
  public CountersignBuilder version(String version) {
    this.version = version;
    return this;
  }

  /** For proxies and custom certificates. It must not follow redirects, which would forward the API key. */
  public CountersignBuilder httpClient(HttpClient http) {
    this.http = http;
    return this;
  }

  CountersignBuilder clock(Clock clock, DoubleSupplier random) {
    this.clock = clock;
    this.random = random;
    return this;
  }

  /** Throws an {@link IllegalArgumentException} that names an invalid setting and says what it must be. */
  public Countersign build() {
    if (apiKey == null || !apiKey.matches("[\\x21-\\x7e]+"))
      throw new IllegalArgumentException(
          "apiKey must be the product's API key (csk_…). Pass it, or set COUNTERSIGN_API_KEY.");
    if (http != null && http.followRedirects() != HttpClient.Redirect.NEVER)
      throw new IllegalArgumentException("httpClient must not follow redirects. Use HttpClient.Redirect.NEVER.");
    CountersignBuilder settings = new CountersignBuilder(this);
    settings.baseUrl = checkedUrl(baseUrl);
    return new Countersign(settings);
  }

  private static String checkedUrl(String value) {
    try {
      URI url = URI.create(value == null ? "" : value);
      String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
      boolean isHttp = scheme.equals("http") || scheme.equals("https");
      String port = url.getPort() < 0 ? "" : ":" + url.getPort();
      if (isHttp && url.getHost() != null)
        return scheme + "://" + url.getHost() + port + url.getRawPath().replaceAll("/+$", "");
    } catch (IllegalArgumentException notAUrl) {
      // The exception below reports it.
    }
    throw new IllegalArgumentException(
        "baseUrl must be the URL of the Countersign server, such as https://licenses.example.com."
            + " Pass it, or set COUNTERSIGN_URL.");
  }

  private static Duration within(String name, Duration value, Duration min, Duration max) {
    if (value != null && value.compareTo(min) >= 0 && value.compareTo(max) <= 0) return value;
    throw new IllegalArgumentException(name + " must be from " + min + " to " + max + ", not " + value + ".");
  }
}
