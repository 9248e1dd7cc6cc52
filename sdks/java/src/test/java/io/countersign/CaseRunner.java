package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Runs one case with a client and a fixed clock. */
final class CaseRunner {
  private final String url;
  private final Map<String, Object> settings;
  private final boolean useFutures;
  private final FixedClock clock;
  private final Map<String, String> stored = new LinkedHashMap<>();
  private Countersign client;

  private CaseRunner(String url, Map<String, Object> settings, Instant now, boolean useFutures) {
    this.url = url;
    this.settings = settings;
    this.useFutures = useFutures;
    clock = new FixedClock(now);
    open();
  }

  static void run(Map<String, Object> one, boolean useFutures) throws Exception {
    requireKnown(one, "file", "name", "client", "answers", "steps", "sent", "different_headers");
    Map<String, Object> started = ConformanceServer.startCase(one.get("answers"));
    requireKnown(started, "url", "client", "now");
    // A real server provides the client's settings and the time.
    Map<String, Object> settings = new LinkedHashMap<>(map(one.getOrDefault("client", Map.of())));
    settings.putAll(map(started.getOrDefault("client", Map.of())));
    Instant now = Instant.parse((String) started.getOrDefault("now", ConformanceServer.START));
    CaseRunner runner = new CaseRunner((String) started.get("url"), settings, now, useFutures);
    for (Object step : (List<?>) one.get("steps")) runner.step(map(step));
    List<?> requests = ConformanceServer.requests(runner.url);
    List<?> sent = (List<?>) one.getOrDefault("sent", List.of());
    for (int index = 0; index < sent.size(); index++) compareSent(map(requests.get(index)), map(sent.get(index)));
    if (one.containsKey("different_headers")) {
      Set<Object> values = new HashSet<>();
      for (Object request : requests) values.add(map(map(request).get("headers")).get(one.get("different_headers")));
      assertEquals(requests.size(), values.size());
    }
  }

  private void step(Map<String, Object> step) throws Exception {
    requireKnown(
        step, "expect", "clock", "times_at_once", "validate", "check", "lookup", "advance_seconds", "restart",
        "forget", "tamper_with_grace", "requests");
    Set<String> actions = new HashSet<>(step.keySet());
    actions.removeAll(Set.of("expect", "clock", "times_at_once"));
    assertEquals(1, actions.size(), "a step has one action");
    int times = ((Number) step.getOrDefault("times_at_once", 1L)).intValue();
    if (step.containsKey("validate")) {
      Map<String, Object> call = map(step.get("validate"));
      concurrently(times, () -> checkOutcome(() -> fields(validate(call)), map(step.get("expect"))));
    } else if (step.containsKey("check")) {
      Map<String, Object> call = map(step.get("check"));
      concurrently(times, () -> checkOutcome(() -> fields(check(call)), map(step.get("expect"))));
    } else if (step.containsKey("lookup")) {
      String key = key(map(step.get("lookup")));
      concurrently(times, () -> checkOutcome(() -> fields(lookup(key)), map(step.get("expect"))));
    } else if (step.containsKey("advance_seconds")) {
      long millis = ((Number) step.get("advance_seconds")).longValue() * 1_000;
      if (!"wall".equals(step.get("clock"))) clock.steadyMillis += millis;
      if (!"steady".equals(step.get("clock"))) clock.wallMillis += millis;
    } else if (step.containsKey("restart")) {
      // A new process: its steady clock starts at an arbitrary time.
      clock.steadyMillis = 7_000;
      open();
    } else if (step.containsKey("forget")) {
      client.forget();
    } else if (step.containsKey("tamper_with_grace")) {
      List<?> change = (List<?>) step.get("tamper_with_grace");
      stored.replaceAll((name, text) -> text.replaceFirst((String) change.get(0), (String) change.get(1)));
    } else if (step.containsKey("requests")) {
      assertEquals(
          ((Number) step.get("requests")).intValue(),
          ConformanceServer.requests(url).size(),
          "requests that were sent");
    } else {
      fail("This runner does not know the step " + step.keySet() + ".");
    }
  }

  private void open() {
    requireKnown(
        settings, "api_key", "timeout_ms", "cache_seconds", "cache_entries", "grace_seconds", "grace_store",
        "when_unavailable", "allow_sandbox", "signing");
    String apiKey = (String) settings.getOrDefault("api_key", "csk_test");
    CountersignBuilder builder = Countersign.builder().apiKey(apiKey).baseUrl(url).clock(clock, () -> 0);
    if (settings.containsKey("timeout_ms")) builder.timeout(Duration.ofMillis(number(settings, "timeout_ms")));
    if (settings.containsKey("cache_seconds")) builder.cache(Duration.ofSeconds(number(settings, "cache_seconds")));
    if (settings.containsKey("cache_entries")) builder.cacheEntries((int) number(settings, "cache_entries"));
    if (settings.containsKey("grace_seconds")) builder.grace(Duration.ofSeconds(number(settings, "grace_seconds")));
    if ("advisory".equals(settings.get("when_unavailable"))) builder.advisory();
    if (settings.get("allow_sandbox") == Boolean.TRUE) builder.allowSandbox();
    if (settings.get("grace_store") == Boolean.TRUE) builder.graceStore(new MapStore());
    if (settings.containsKey("signing")) builder.signing(signing(map(settings.get("signing"))));
    client = builder.build();
  }

  @SuppressWarnings("unchecked")
  private static Signing signing(Map<String, Object> given) {
    requireKnown(given, "product_id", "secrets", "tolerance_seconds");
    Signing signing = Signing.with((String) given.get("product_id"), (List<String>) given.get("secrets"));
    return given.containsKey("tolerance_seconds")
        ? signing.withTolerance(Duration.ofSeconds(number(given, "tolerance_seconds")))
        : signing;
  }

  private ValidateResult validate(Map<String, Object> call) {
    return useFutures
        ? join(client.validateAsync(key(call), options(call)))
        : client.validate(key(call), options(call));
  }

  private Decision check(Map<String, Object> call) {
    return useFutures
        ? join(client.checkAsync(key(call), options(call)))
        : client.check(key(call), options(call));
  }

  private LicenseRecord lookup(String key) {
    return useFutures ? join(client.lookupAsync(key)) : client.lookup(key);
  }

  private static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException wrapped) {
      throw (RuntimeException) wrapped.getCause();
    }
  }

  private static void checkOutcome(Supplier<Map<String, Object>> work, Map<String, Object> expect) {
    Map<String, Object> actual;
    try {
      actual = work.get();
      if (expect.containsKey("error")) fail("an error was expected, not " + actual);
    } catch (CountersignException problem) {
      if (!expect.containsKey("error")) throw problem;
      actual = fields(problem);
    }
    assertEquals(1, expect.size(), "a step has one expectation");
    Map<String, Object> expected = map(expect.values().iterator().next());
    for (Map.Entry<String, Object> entry : expected.entrySet()) {
      assertTrue(actual.containsKey(entry.getKey()), () -> "this runner does not know " + entry.getKey());
      assertEquals(withDoubles(entry.getValue()), withDoubles(actual.get(entry.getKey())), entry.getKey());
    }
  }

  private static void concurrently(int times, Runnable work) throws Exception {
    var threads = Executors.newFixedThreadPool(times);
    try {
      var all = new ArrayList<java.util.concurrent.Future<?>>();
      for (int index = 0; index < times; index++) all.add(threads.submit(work));
      for (var one : all) one.get();
    } finally {
      threads.shutdown();
    }
  }

  private static void compareSent(Map<String, Object> request, Map<String, Object> expected) {
    requireKnown(expected, "method", "path", "headers", "body", "has_header", "has_no_header");
    for (String name : List.of("method", "path"))
      if (expected.containsKey(name)) assertEquals(expected.get(name), request.get(name));
    Map<String, Object> headers = map(request.get("headers"));
    map(expected.getOrDefault("headers", Map.of())).forEach((name, value) -> assertEquals(value, headers.get(name)));
    if (expected.containsKey("body")) assertEquals(expected.get("body"), Json.parse((String) request.get("body")));
    if (expected.containsKey("has_header")) assertTrue(headers.containsKey(expected.get("has_header")));
    if (expected.containsKey("has_no_header")) assertFalse(headers.containsKey(expected.get("has_no_header")));
  }

  private static Map<String, Object> fields(ValidateResult result) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("valid", result.valid());
    fields.put("status", result.status());
    fields.put("expires", result.expires().map(CaseRunner::text).orElse(null));
    fields.put("ip_registered", result.ipRegistered().orElse(null));
    fields.put("ip_count", result.ipCount().orElse(null));
    fields.put("max_ips", result.maxIps().orElse(null));
    fields.put("version", result.version().orElse(null));
    fields.put("version_valid", result.versionValid().orElse(null));
    fields.put("custom", result.custom().orElse(null));
    fields.put("source", result.source().name().toLowerCase());
    fields.put("request_id", result.requestId().orElse(null));
    return fields;
  }

  private static Map<String, Object> fields(Decision decision) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("allowed", decision.allowed());
    fields.put("error", decision.problem().map(CaseRunner::kind).orElse(null));
    return fields;
  }

  private static Map<String, Object> fields(LicenseRecord license) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", license.id());
    fields.put("organization_id", license.organizationId());
    fields.put("product_id", license.productId());
    fields.put("global_customer_id", license.globalCustomerId().orElse(null));
    fields.put("license_key", license.licenseKey());
    fields.put("status", license.status());
    fields.put("expires_at", license.expiresAt().map(CaseRunner::text).orElse(null));
    fields.put("is_lifetime", license.isLifetime());
    fields.put("ip_system_enabled", license.ipSystemEnabled());
    fields.put("max_ips", license.maxIps().orElse(null));
    fields.put("current_unique_ip_count", license.currentUniqueIpCount());
    fields.put("notes", license.notes().orElse(null));
    fields.put("version_pin_mode", license.versionPinMode().orElse(null));
    fields.put("version_pinned", license.versionPinned().orElse(null));
    fields.put("version_range_min", license.versionRangeMin().orElse(null));
    fields.put("version_range_max", license.versionRangeMax().orElse(null));
    fields.put("revoked_at", license.revokedAt().map(CaseRunner::text).orElse(null));
    fields.put("created_at", text(license.createdAt()));
    fields.put("updated_at", text(license.updatedAt()));
    fields.put("customer_email", license.customerEmail().orElse(null));
    fields.put("customer_name", license.customerName().orElse(null));
    fields.put("customer_discord_id", license.customerDiscordId().orElse(null));
    return fields;
  }

  private static Map<String, Object> fields(CountersignException problem) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("kind", kind(problem));
    fields.put("request_id", problem.requestId().orElse(null));
    if (problem instanceof ServerException) fields.put("status", ((ServerException) problem).status());
    if (problem instanceof SignatureException) fields.put("reason", ((SignatureException) problem).reason());
    if (problem instanceof SandboxException) fields.put("code", ((SandboxException) problem).code());
    if (problem instanceof RateLimitException) {
      RateLimitException limit = (RateLimitException) problem;
      fields.put("retry_after_seconds", limit.retryAfter().getSeconds());
      fields.put("reset_at", text(limit.resetAt()));
    }
    return fields;
  }

  private static String kind(CountersignException problem) {
    String name = problem.getClass().getSimpleName().replace("Exception", "");
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase();
  }

  /** Converts all numbers to doubles, so that their types do not matter. */
  private static Object withDoubles(Object value) {
    if (value instanceof Number) return ((Number) value).doubleValue();
    if (value instanceof List) {
      List<Object> list = new ArrayList<>();
      for (Object one : (List<?>) value) list.add(withDoubles(one));
      return list;
    }
    if (!(value instanceof Map)) return value;
    Map<Object, Object> map = new LinkedHashMap<>();
    ((Map<?, ?>) value).forEach((name, one) -> map.put(name, withDoubles(one)));
    return map;
  }

  static String text(Instant time) {
    return Instant.ofEpochMilli(time.toEpochMilli()).toString().replaceFirst("(:[0-9]{2})Z$", "$1.000Z");
  }

  private static String key(Map<String, Object> call) {
    requireKnown(call, "license_key", "version", "device_id", "fresh");
    return (String) call.getOrDefault("license_key", ConformanceServer.DEFAULT_KEY);
  }

  private static ValidateOptions options(Map<String, Object> call) {
    ValidateOptions options = ValidateOptions.none();
    if (call.containsKey("version")) options = options.version((String) call.get("version"));
    if (call.containsKey("device_id")) options = options.deviceId((String) call.get("device_id"));
    return call.get("fresh") == Boolean.TRUE ? options.fresh() : options;
  }

  /** Fails if a case has members that this runner does not know. */
  static void requireKnown(Map<String, Object> given, String... names) {
    Set<String> unknown = new HashSet<>(given.keySet());
    unknown.removeAll(Set.of(names));
    assertEquals(Set.of(), unknown, "members that this runner does not know");
  }

  private static long number(Map<String, Object> given, String name) {
    return ((Number) given.get(name)).longValue();
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  private static final class FixedClock implements Clock {
    volatile long wallMillis;
    volatile long steadyMillis = 1_000;

    FixedClock(Instant now) {
      wallMillis = now.toEpochMilli();
    }

    @Override
    public long wallMillis() {
      return wallMillis;
    }

    @Override
    public long steadyMillis() {
      return steadyMillis;
    }

    @Override
    public void sleep(Duration duration) {}
  }

  private final class MapStore implements GraceStore {
    @Override
    public String load(String name) {
      return stored.get(name);
    }

    @Override
    public void save(String name, String text) {
      stored.put(name, text);
    }

    @Override
    public void remove(String name) {
      stored.remove(name);
    }
  }
}
