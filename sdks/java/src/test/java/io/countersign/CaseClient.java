package io.countersign;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** The client of a case: its settings, and its calls in either style. */
final class CaseClient {
  private final String url;
  private final Clock clock;
  private final Executor executor;
  private final boolean useFutures;
  final Map<String, String> stored = new LinkedHashMap<>();
  private Map<String, Object> settings;
  Countersign client;

  CaseClient(String url, Clock clock, Executor executor, boolean useFutures) {
    this.url = url;
    this.clock = clock;
    this.executor = executor;
    this.useFutures = useFutures;
  }

  void open(Map<String, Object> changed) {
    Map<String, Object> all = new LinkedHashMap<>(settings == null ? Map.of() : settings);
    all.putAll(changed);
    settings = all;
    CaseRunner.requireKnown(
        settings, "api_key", "timeout_ms", "retries", "cache_seconds", "cache_entries", "not_found_cache_seconds",
        "grace_seconds", "grace_store", "when_unavailable", "allow_sandbox", "signing", "version", "device_id",
        "user_agent");
    String apiKey = (String) settings.getOrDefault("api_key", "csk_test");
    CountersignBuilder builder =
        Countersign.builder().apiKey(apiKey).baseUrl(url).clock(clock, () -> 0).executor(executor);
    if (has("timeout_ms")) builder.timeout(Duration.ofMillis(number("timeout_ms")));
    if (has("retries")) builder.retries((int) number("retries"));
    if (has("cache_seconds")) builder.cache(Duration.ofSeconds(number("cache_seconds")));
    if (has("cache_entries")) builder.cacheEntries((int) number("cache_entries"));
    if (has("not_found_cache_seconds")) builder.notFoundCache(Duration.ofSeconds(number("not_found_cache_seconds")));
    if (has("grace_seconds")) builder.grace(Duration.ofSeconds(number("grace_seconds")));
    if ("advisory".equals(settings.get("when_unavailable"))) builder.advisory();
    if (settings.get("allow_sandbox") == Boolean.TRUE) builder.allowSandbox();
    if (settings.get("grace_store") == Boolean.TRUE) builder.graceStore(new MapStore());
    if (has("signing")) builder.signing(signing(CaseRunner.map(settings.get("signing"))));
    if (has("version")) builder.version((String) settings.get("version"));
    if (has("device_id")) builder.deviceId((String) settings.get("device_id"));
    if (has("user_agent")) builder.userAgent((String) settings.get("user_agent"));
    client = builder.build();
  }

  /** The outcome as the members of a case. Throws what the client throws. */
  Map<String, Object> call(String method, Map<String, Object> call) {
    try {
      return useFutures ? join(start(method, call)) : outcome(method, call);
    } catch (CountersignException problem) {
      requireNoKeys(problem, call);
      throw problem;
    }
  }

  private Map<String, Object> outcome(String method, Map<String, Object> call) {
    String key = key(call);
    ValidateOptions options = options(call);
    switch (method) {
      case "validate":
        return CaseFields.of(client.validate(key, options));
      case "check":
        return fields(client.check(key, options), call);
      case "lookup":
        return CaseFields.of(client.lookup(key, options));
      default:
        throw new IllegalArgumentException(method);
    }
  }

  CompletableFuture<Map<String, Object>> start(String method, Map<String, Object> call) {
    String key = key(call);
    ValidateOptions options = options(call);
    switch (method) {
      case "validate":
        return client.validateAsync(key, options).thenApply(CaseFields::of);
      case "check":
        return client.checkAsync(key, options).thenApply(decision -> fields(decision, call));
      case "lookup":
        return client.lookupAsync(key, options).thenApply(CaseFields::of);
      default:
        throw new IllegalArgumentException(method);
    }
  }

  private Map<String, Object> fields(Decision decision, Map<String, Object> call) {
    decision.problem().ifPresent(problem -> requireNoKeys(problem, call));
    return CaseFields.of(decision);
  }

  private void requireNoKeys(CountersignException problem, Map<String, Object> call) {
    CaseExpectations.requireNoKeys(problem, (String) settings.getOrDefault("api_key", "csk_test"), key(call));
  }

  Map<String, Object> cached(Map<String, Object> call) {
    return client.cached(key(call), options(call)).map(CaseFields::of).orElse(null);
  }

  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException wrapped) {
      throw (RuntimeException) wrapped.getCause();
    }
  }

  @SuppressWarnings("unchecked")
  private static Signing signing(Map<String, Object> given) {
    CaseRunner.requireKnown(given, "product_id", "secrets", "tolerance_seconds");
    Signing signing = Signing.with((String) given.get("product_id"), (List<String>) given.get("secrets"));
    Object tolerance = given.get("tolerance_seconds");
    return tolerance == null ? signing : signing.withTolerance(Duration.ofSeconds(((Number) tolerance).longValue()));
  }

  private static String key(Map<String, Object> call) {
    CaseRunner.requireKnown(call, "license_key", "version", "device_id", "fresh", "timeout_ms", "retries");
    return (String) call.getOrDefault("license_key", ConformanceServer.DEFAULT_KEY);
  }

  private static ValidateOptions options(Map<String, Object> call) {
    ValidateOptions options = ValidateOptions.none();
    if (call.containsKey("version")) options = options.version((String) call.get("version"));
    if (call.containsKey("device_id")) options = options.deviceId((String) call.get("device_id"));
    if (call.containsKey("timeout_ms"))
      options = options.timeout(Duration.ofMillis(((Number) call.get("timeout_ms")).longValue()));
    if (call.containsKey("retries")) options = options.retries(((Number) call.get("retries")).intValue());
    return call.get("fresh") == Boolean.TRUE ? options.fresh() : options;
  }

  private boolean has(String name) {
    return settings.containsKey(name);
  }

  private long number(String name) {
    return ((Number) settings.get(name)).longValue();
  }

  private final class MapStore implements GraceStore {
    @Override
    public String load(String name) {
      synchronized (stored) {
        return stored.get(name);
      }
    }

    @Override
    public void save(String name, String text) {
      synchronized (stored) {
        stored.put(name, text);
      }
    }

    @Override
    public void remove(String name) {
      synchronized (stored) {
        stored.remove(name);
      }
    }
  }
}
