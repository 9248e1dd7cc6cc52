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

/** Plays one case: a client, clocks that stand still, and what is done with them. */
final class Scene {
  private final String url;
  private final Map<String, Object> settings;
  private final boolean useFutures;
  private final StillClock clock;
  private final Map<String, String> kept = new LinkedHashMap<>();
  private Countersign client;

  private Scene(String url, Map<String, Object> settings, Instant now, boolean useFutures) {
    this.url = url;
    this.settings = settings;
    this.useFutures = useFutures;
    clock = new StillClock(now);
    open();
  }

  static void play(Map<String, Object> one, boolean useFutures) throws Exception {
    known(one, "file", "name", "client", "answers", "steps", "sent", "different_headers");
    Map<String, Object> armed = TestServer.arm(one.get("answers"));
    known(armed, "url", "client", "now");
    // Where a real server answers, what the client has to be made with and the time are the server's.
    Map<String, Object> settings = new LinkedHashMap<>(map(one.getOrDefault("client", Map.of())));
    settings.putAll(map(armed.getOrDefault("client", Map.of())));
    Instant now = Instant.parse((String) armed.getOrDefault("now", TestServer.START));
    Scene scene = new Scene((String) armed.get("url"), settings, now, useFutures);
    for (Object step : (List<?>) one.get("steps")) scene.step(map(step));
    List<?> requests = TestServer.requests(scene.url);
    List<?> sent = (List<?>) one.getOrDefault("sent", List.of());
    for (int index = 0; index < sent.size(); index++) compareSent(map(requests.get(index)), map(sent.get(index)));
    if (one.containsKey("different_headers")) {
      Set<Object> values = new HashSet<>();
      for (Object request : requests) values.add(map(map(request).get("headers")).get(one.get("different_headers")));
      assertEquals(requests.size(), values.size());
    }
  }

  private void step(Map<String, Object> step) throws Exception {
    known(
        step, "expect", "clock", "times_at_once", "validate", "check", "lookup", "advance_seconds", "restart",
        "forget", "tamper_with_grace", "requests");
    Set<String> deeds = new HashSet<>(step.keySet());
    deeds.removeAll(Set.of("expect", "clock", "times_at_once"));
    assertEquals(1, deeds.size(), "a step does one thing");
    int times = ((Number) step.getOrDefault("times_at_once", 1L)).intValue();
    if (step.containsKey("validate")) {
      Map<String, Object> asked = map(step.get("validate"));
      atOnce(times, () -> outcome(() -> fields(validate(asked)), map(step.get("expect"))));
    } else if (step.containsKey("check")) {
      Map<String, Object> asked = map(step.get("check"));
      atOnce(times, () -> outcome(() -> fields(check(asked)), map(step.get("expect"))));
    } else if (step.containsKey("lookup")) {
      String key = key(map(step.get("lookup")));
      atOnce(times, () -> outcome(() -> fields(lookup(key)), map(step.get("expect"))));
    } else if (step.containsKey("advance_seconds")) {
      long millis = ((Number) step.get("advance_seconds")).longValue() * 1_000;
      if (!"wall".equals(step.get("clock"))) clock.steadyMillis += millis;
      if (!"steady".equals(step.get("clock"))) clock.wallMillis += millis;
    } else if (step.containsKey("restart")) {
      // Another process: its steady clock begins anywhere.
      clock.steadyMillis = 7_000;
      open();
    } else if (step.containsKey("forget")) {
      client.forget();
    } else if (step.containsKey("tamper_with_grace")) {
      List<?> change = (List<?>) step.get("tamper_with_grace");
      kept.replaceAll((name, text) -> text.replaceFirst((String) change.get(0), (String) change.get(1)));
    } else if (step.containsKey("requests")) {
      assertEquals(
          ((Number) step.get("requests")).intValue(), TestServer.requests(url).size(), "requests that left");
    } else {
      fail("This runner does not know the step " + step.keySet() + ".");
    }
  }

  private void open() {
    known(
        settings, "api_key", "timeout_ms", "cache_seconds", "cache_entries", "grace_seconds", "grace_store",
        "when_unavailable", "signing");
    String apiKey = (String) settings.getOrDefault("api_key", "csk_test");
    CountersignBuilder builder = Countersign.builder().apiKey(apiKey).baseUrl(url).clock(clock, () -> 0);
    if (settings.containsKey("timeout_ms")) builder.timeout(Duration.ofMillis(number(settings, "timeout_ms")));
    if (settings.containsKey("cache_seconds")) builder.cache(Duration.ofSeconds(number(settings, "cache_seconds")));
    if (settings.containsKey("cache_entries")) builder.cacheEntries((int) number(settings, "cache_entries"));
    if (settings.containsKey("grace_seconds")) builder.grace(Duration.ofSeconds(number(settings, "grace_seconds")));
    if ("advisory".equals(settings.get("when_unavailable"))) builder.advisory();
    if (settings.get("grace_store") == Boolean.TRUE) builder.graceStore(new MapStore());
    if (settings.containsKey("signing")) builder.signing(signing(map(settings.get("signing"))));
    client = builder.build();
  }

  @SuppressWarnings("unchecked")
  private static Signing signing(Map<String, Object> given) {
    known(given, "product_id", "secrets", "tolerance_seconds");
    Signing signing = Signing.with((String) given.get("product_id"), (List<String>) given.get("secrets"));
    return given.containsKey("tolerance_seconds")
        ? signing.withTolerance(Duration.ofSeconds(number(given, "tolerance_seconds")))
        : signing;
  }

  private ValidateResult validate(Map<String, Object> asked) {
    return useFutures
        ? joined(client.validateAsync(key(asked), options(asked)))
        : client.validate(key(asked), options(asked));
  }

  private Decision check(Map<String, Object> asked) {
    return useFutures
        ? joined(client.checkAsync(key(asked), options(asked)))
        : client.check(key(asked), options(asked));
  }

  private LicenseRecord lookup(String key) {
    return useFutures ? joined(client.lookupAsync(key)) : client.lookup(key);
  }

  private static <T> T joined(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException wrapped) {
      throw (RuntimeException) wrapped.getCause();
    }
  }

  private static void outcome(Supplier<Map<String, Object>> work, Map<String, Object> expect) {
    Map<String, Object> said;
    try {
      said = work.get();
      if (expect.containsKey("error")) fail("an error was expected, not " + said);
    } catch (CountersignException problem) {
      if (!expect.containsKey("error")) throw problem;
      said = fields(problem);
    }
    assertEquals(1, expect.size(), "one thing is expected");
    Map<String, Object> wanted = map(expect.values().iterator().next());
    for (Map.Entry<String, Object> entry : wanted.entrySet()) {
      assertTrue(said.containsKey(entry.getKey()), () -> "this runner does not know " + entry.getKey());
      assertEquals(plain(entry.getValue()), plain(said.get(entry.getKey())), entry.getKey());
    }
  }

  private static void atOnce(int times, Runnable work) throws Exception {
    var threads = Executors.newFixedThreadPool(times);
    try {
      var all = new ArrayList<java.util.concurrent.Future<?>>();
      for (int index = 0; index < times; index++) all.add(threads.submit(work));
      for (var one : all) one.get();
    } finally {
      threads.shutdown();
    }
  }

  private static void compareSent(Map<String, Object> request, Map<String, Object> wanted) {
    known(wanted, "method", "path", "headers", "body", "has_header", "has_no_header");
    for (String name : List.of("method", "path"))
      if (wanted.containsKey(name)) assertEquals(wanted.get(name), request.get(name));
    Map<String, Object> headers = map(request.get("headers"));
    map(wanted.getOrDefault("headers", Map.of())).forEach((name, value) -> assertEquals(value, headers.get(name)));
    if (wanted.containsKey("body")) assertEquals(wanted.get("body"), Json.parse((String) request.get("body")));
    if (wanted.containsKey("has_header")) assertTrue(headers.containsKey(wanted.get("has_header")));
    if (wanted.containsKey("has_no_header")) assertFalse(headers.containsKey(wanted.get("has_no_header")));
  }

  private static Map<String, Object> fields(ValidateResult result) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("valid", result.valid());
    fields.put("status", result.status());
    fields.put("expires", result.expires().map(Scene::text).orElse(null));
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
    fields.put("error", decision.problem().map(Scene::kind).orElse(null));
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
    fields.put("expires_at", license.expiresAt().map(Scene::text).orElse(null));
    fields.put("is_lifetime", license.isLifetime());
    fields.put("ip_system_enabled", license.ipSystemEnabled());
    fields.put("max_ips", license.maxIps().orElse(null));
    fields.put("current_unique_ip_count", license.currentUniqueIpCount());
    fields.put("notes", license.notes().orElse(null));
    fields.put("version_pin_mode", license.versionPinMode().orElse(null));
    fields.put("version_pinned", license.versionPinned().orElse(null));
    fields.put("version_range_min", license.versionRangeMin().orElse(null));
    fields.put("version_range_max", license.versionRangeMax().orElse(null));
    fields.put("revoked_at", license.revokedAt().map(Scene::text).orElse(null));
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

  /** Numbers by their value, whatever their type. */
  private static Object plain(Object value) {
    if (value instanceof Number) return ((Number) value).doubleValue();
    if (value instanceof List) {
      List<Object> list = new ArrayList<>();
      for (Object one : (List<?>) value) list.add(plain(one));
      return list;
    }
    if (!(value instanceof Map)) return value;
    Map<Object, Object> map = new LinkedHashMap<>();
    ((Map<?, ?>) value).forEach((name, one) -> map.put(name, plain(one)));
    return map;
  }

  static String text(Instant time) {
    return Instant.ofEpochMilli(time.toEpochMilli()).toString().replaceFirst("(:[0-9]{2})Z$", "$1.000Z");
  }

  private static String key(Map<String, Object> asked) {
    known(asked, "license_key", "version", "device_id", "fresh");
    return (String) asked.getOrDefault("license_key", TestServer.USUAL_KEY);
  }

  private static ValidateOptions options(Map<String, Object> asked) {
    ValidateOptions options = ValidateOptions.none();
    if (asked.containsKey("version")) options = options.version((String) asked.get("version"));
    if (asked.containsKey("device_id")) options = options.deviceId((String) asked.get("device_id"));
    return asked.get("fresh") == Boolean.TRUE ? options.fresh() : options;
  }

  /** Whatever a case says that this runner does not know has to be a failure. */
  static void known(Map<String, Object> given, String... names) {
    Set<String> unknown = new HashSet<>(given.keySet());
    unknown.removeAll(Set.of(names));
    assertEquals(Set.of(), unknown, "this runner does not know these");
  }

  private static long number(Map<String, Object> given, String name) {
    return ((Number) given.get(name)).longValue();
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  private static final class StillClock implements Clock {
    volatile long wallMillis;
    volatile long steadyMillis = 1_000;

    StillClock(Instant now) {
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
      return kept.get(name);
    }

    @Override
    public void save(String name, String text) {
      kept.put(name, text);
    }

    @Override
    public void remove(String name) {
      kept.remove(name);
    }
  }
}
