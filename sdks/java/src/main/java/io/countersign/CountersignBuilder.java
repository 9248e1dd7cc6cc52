package io.countersign;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** What a client is told before it begins. Each setting has a value that is right for most. */
public final class CountersignBuilder {
  private static final Duration LONGEST_GRACE = Duration.ofDays(30);

  String apiKey = System.getenv("COUNTERSIGN_API_KEY");
  String baseUrl = System.getenv("COUNTERSIGN_URL");
  Duration timeout = Duration.ofSeconds(5);
  Signing signing;
  Duration cache = Duration.ofMinutes(5);
  int cacheEntries = 1_000;
  Duration grace = Duration.ZERO;
  GraceStore graceStore;
  boolean isAdvisory;
  String deviceId;
  String version;
  HttpClient http;
  Clock clock = Clock.SYSTEM;
  DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

  CountersignBuilder() {}

  /** A client keeps a copy: who goes on with the builder must not change a client that is in use. */
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
    deviceId = other.deviceId;
    version = other.version;
    http = other.http;
    clock = other.clock;
    random = other.random;
  }

  /** The product's API key, {@code csk_…}. The environment's {@code COUNTERSIGN_API_KEY} when it is not said. */
  public CountersignBuilder apiKey(String apiKey) {
    this.apiKey = apiKey;
    return this;
  }

  /** Where Countersign runs. The environment's {@code COUNTERSIGN_URL} when it is not said. */
  public CountersignBuilder baseUrl(String baseUrl) {
    this.baseUrl = baseUrl;
    return this;
  }

  /** For the whole call, a second try included. Five seconds when it is not said. */
  public CountersignBuilder timeout(Duration timeout) {
    this.timeout = within("timeout", timeout, Duration.ofMillis(1), Duration.ofMinutes(2));
    return this;
  }

  /** With it, an answer that is not signed, or not right, is refused. */
  public CountersignBuilder signing(Signing signing) {
    this.signing = signing;
    return this;
  }

  /** How long a license that was valid counts as valid without asking again. Five minutes when it is not said. */
  public CountersignBuilder cache(Duration cache) {
    this.cache = within("cache", cache, Duration.ZERO, Duration.ofDays(1));
    return this;
  }

  /** How many licenses are remembered. 1,000 when it is not said. */
  public CountersignBuilder cacheEntries(int cacheEntries) {
    if (cacheEntries < 0) throw new IllegalArgumentException("cacheEntries should be 0 or more.");
    this.cacheEntries = cacheEntries;
    return this;
  }

  /** How long a license that was valid goes on being so while the server cannot be reached. Not at all by default. */
  public CountersignBuilder grace(Duration grace) {
    this.grace = within("grace", grace, Duration.ZERO, LONGEST_GRACE);
    return this;
  }

  /** Where the grace outlives the process. */
  public CountersignBuilder graceStore(GraceStore graceStore) {
    this.graceStore = graceStore;
    return this;
  }

  /** Makes {@code check} allow everything, and not nothing, when no verdict can be had. */
  public CountersignBuilder advisory() {
    this.isAdvisory = true;
    return this;
  }

  /** Sent with every validation, for the seller to see. It decides nothing. */
  public CountersignBuilder deviceId(String deviceId) {
    this.deviceId = deviceId;
    return this;
  }

  /** Sent with every validation, where the call names no other. */
  public CountersignBuilder version(String version) {
    this.version = version;
    return this;
  }

  /** For proxies and certificates of one's own. One that follows redirects is refused: it would take the key along. */
  public CountersignBuilder httpClient(HttpClient http) {
    this.http = http;
    return this;
  }

  CountersignBuilder clock(Clock clock, DoubleSupplier random) {
    this.clock = clock;
    this.random = random;
    return this;
  }

  /** Throws an {@link IllegalArgumentException} that names what is missing, and what it should be. */
  public Countersign build() {
    if (apiKey == null || !apiKey.matches("[\\x21-\\x7e]+"))
      throw new IllegalArgumentException(
          "apiKey should be the product's API key (csk_…), given here or as COUNTERSIGN_API_KEY.");
    if (http != null && http.followRedirects() != HttpClient.Redirect.NEVER)
      throw new IllegalArgumentException("httpClient should follow no redirects: HttpClient.Redirect.NEVER.");
    CountersignBuilder settings = new CountersignBuilder(this);
    settings.baseUrl = checkedUrl(baseUrl);
    return new Countersign(settings);
  }

  private static String checkedUrl(String given) {
    try {
      URI url = URI.create(given == null ? "" : given);
      String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
      boolean isHttp = scheme.equals("http") || scheme.equals("https");
      String port = url.getPort() < 0 ? "" : ":" + url.getPort();
      if (isHttp && url.getHost() != null)
        return scheme + "://" + url.getHost() + port + url.getRawPath().replaceAll("/+$", "");
    } catch (IllegalArgumentException noUrl) {
      // Said below.
    }
    throw new IllegalArgumentException(
        "baseUrl should be where Countersign runs, such as https://licenses.example.com,"
            + " given here or as COUNTERSIGN_URL.");
  }

  private static Duration within(String name, Duration value, Duration least, Duration most) {
    if (value != null && value.compareTo(least) >= 0 && value.compareTo(most) <= 0) return value;
    throw new IllegalArgumentException(name + " should be from " + least + " to " + most + ", not " + value + ".");
  }
}
