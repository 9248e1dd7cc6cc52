package io.countersign;

import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** The settings of a client, with their defaults. */
final class Settings implements Cloneable {
  String apiKey = System.getenv("COUNTERSIGN_API_KEY");
  String baseUrl = System.getenv("COUNTERSIGN_URL");
  Duration timeout = Duration.ofSeconds(5);
  int retries = 1;
  Signing signing;
  Duration cache = Duration.ofMinutes(5);
  Duration notFoundCache = Duration.ofSeconds(30);
  int cacheEntries = 1_000;
  Duration grace = Duration.ZERO;
  GraceStore graceStore;
  boolean isAdvisory;
  boolean allowsSandbox;
  String deviceId;
  String version;
  String userAgent;
  HttpClient http;
  ProxySelector proxy;
  Executor executor;
  CountersignLogger logger;
  Consumer<RequestEvent> onRequest = request -> {};
  Consumer<ResponseEvent> onResponse = response -> {};
  Clock clock = Clock.SYSTEM;
  DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

  /** A checked copy, so that later changes to the builder do not affect the client. */
  Settings checked() {
    if (apiKey == null || !apiKey.matches("[\\x21-\\x7e]+"))
      throw new IllegalArgumentException(
          "apiKey must be the product's API key (csk_…). Pass it, or set COUNTERSIGN_API_KEY.");
    if (http != null && http.followRedirects() != HttpClient.Redirect.NEVER)
      throw new IllegalArgumentException("httpClient must not follow redirects. Use HttpClient.Redirect.NEVER.");
    if (http != null && proxy != null)
      throw new IllegalArgumentException("Set the proxy of the httpClient instead of proxy.");
    Settings copy = copy();
    copy.baseUrl = checkedUrl(baseUrl);
    return copy;
  }

  private Settings copy() {
    try {
      return (Settings) clone();
    } catch (CloneNotSupportedException impossible) {
      throw new IllegalStateException(impossible);
    }
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
        "baseUrl must be the URL of the Countersign server, such as https://license.example.com."
            + " Pass it, or set COUNTERSIGN_URL.");
  }

  static Duration timeout(Duration value) {
    return within("timeout", value, Duration.ofMillis(1), Duration.ofMinutes(2));
  }

  static int retries(int value) {
    if (value >= 0 && value <= 5) return value;
    throw new IllegalArgumentException("retries must be from 0 to 5, not " + value + ".");
  }

  static Duration within(String name, Duration value, Duration min, Duration max) {
    if (value != null && value.compareTo(min) >= 0 && value.compareTo(max) <= 0) return value;
    throw new IllegalArgumentException(name + " must be from " + min + " to " + max + ", not " + value + ".");
  }
}
