package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs one case with a client and a fixed clock. */
final class CaseRunner {
  private static final Set<String> CALLS = Set.of("validate", "check", "lookup");

  private final String url;
  private final FixedClock clock;
  private final CountingExecutor executor;
  private final CaseClient client;
  private final Map<String, CompletableFuture<Map<String, Object>>> started = new HashMap<>();

  private CaseRunner(String url, Instant now, CountingExecutor executor, boolean useFutures) {
    this.url = url;
    this.executor = executor;
    clock = new FixedClock(now);
    client = new CaseClient(url, clock, executor, useFutures);
  }

  static void run(Map<String, Object> one, boolean useFutures) throws Exception {
    requireKnown(one, "file", "name", "client", "answers", "steps", "sent", "different_headers");
    Map<String, Object> begun = ConformanceServer.startCase(one.get("answers"));
    requireKnown(begun, "url", "client", "now");
    // A real server provides the client's settings and the time.
    Map<String, Object> settings = new LinkedHashMap<>(map(one.getOrDefault("client", Map.of())));
    settings.putAll(map(begun.getOrDefault("client", Map.of())));
    Instant now = Instant.parse((String) begun.getOrDefault("now", ConformanceServer.START));
    try (CountingExecutor executor = new CountingExecutor()) {
      CaseRunner runner = new CaseRunner((String) begun.get("url"), now, executor, useFutures);
      runner.client.open(settings);
      for (Object step : (List<?>) one.get("steps")) {
        runner.step(map(step));
        // A step begins after the previous one has stored everything.
        executor.awaitIdle();
      }
      assertEquals(Set.of(), runner.started.keySet(), "started calls that were not finished");
      List<?> requests = ConformanceServer.requests(runner.url);
      List<?> sent = (List<?>) one.getOrDefault("sent", List.of());
      for (int index = 0; index < sent.size(); index++)
        CaseExpectations.compareSent(map(requests.get(index)), map(sent.get(index)));
      if (one.containsKey("different_headers"))
        CaseExpectations.allDiffer(requests, one.get("different_headers"));
    }
  }

  private void step(Map<String, Object> step) throws Exception {
    Set<String> actions = new HashSet<>(step.keySet());
    actions.removeAll(Set.of("expect", "clock", "times_at_once", "start"));
    assertEquals(1, actions.size(), "a step has one action");
    String action = actions.iterator().next();
    Object value = step.get(action);
    Map<String, Object> expect = map(step.get("expect"));
    if (CALLS.contains(action)) {
      call(step, action, map(value), expect);
      return;
    }
    switch (action) {
      case "finish":
        CompletableFuture<Map<String, Object>> call = started.remove(value);
        CaseExpectations.check(() -> CaseClient.join(call), expect);
        break;
      case "cached":
        CaseExpectations.check(() -> client.cached(map(value)), expect);
        break;
      case "advance_seconds":
        long millis = ((Number) value).longValue() * 1_000;
        if (!"wall".equals(step.get("clock"))) clock.moveSteady(millis);
        if (!"steady".equals(step.get("clock"))) clock.moveWall(millis);
        break;
      case "restart":
        clock.restart();
        client.open(value == Boolean.TRUE ? Map.of() : map(value));
        break;
      case "forget":
        client.client.forget();
        break;
      case "tamper_with_grace":
        List<?> change = (List<?>) value;
        client.stored.replaceAll(
            (name, text) -> text.replaceFirst((String) change.get(0), (String) change.get(1)));
        break;
      case "requests":
        untilRequests(((Number) value).intValue());
        break;
      default:
        fail("This runner does not know the step " + step.keySet() + ".");
    }
  }

  private void call(
      Map<String, Object> step, String method, Map<String, Object> value, Map<String, Object> expect)
      throws Exception {
    if (step.containsKey("start")) {
      started.put((String) step.get("start"), client.start(method, value));
      return;
    }
    int times = ((Number) step.getOrDefault("times_at_once", 1L)).intValue();
    concurrently(times, () -> CaseExpectations.check(() -> client.call(method, value), expect));
  }

  /** A started call may not have sent its request yet. */
  private void untilRequests(int count) throws InterruptedException {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (ConformanceServer.requests(url).size() < count && System.nanoTime() < endNanos) Thread.sleep(5);
    assertEquals(count, ConformanceServer.requests(url).size(), "requests that were sent");
  }

  private static void concurrently(int times, Runnable work) throws Exception {
    if (times == 1) {
      work.run();
      return;
    }
    var threads = Executors.newFixedThreadPool(times);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int index = 0; index < times; index++) all.add(threads.submit(work));
      for (Future<?> one : all) one.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Error) throw (Error) failed.getCause();
      throw failed;
    } finally {
      threads.shutdown();
    }
  }

  /** Fails if a case has members that this runner does not know. */
  static void requireKnown(Map<String, Object> given, String... names) {
    Set<String> unknown = new HashSet<>(given.keySet());
    unknown.removeAll(Set.of(names));
    assertEquals(Set.of(), unknown, "members that this runner does not know");
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }
}
