package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The logger and the hooks. */
@Timeout(60)
class ReporterTest {
  private static final String KEY = ConformanceServer.DEFAULT_KEY;
  private static final String UNREACHABLE = "http://127.0.0.1:1";

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<Object> events = new CopyOnWriteArrayList<>();

  private final CountersignLogger logger =
      new CountersignLogger() {
        @Override
        public void debug(String message, Map<String, Object> details) {
          lines.add("debug: " + message + details);
        }

        @Override
        public void warn(String message, Map<String, Object> details) {
          lines.add("warn: " + message + details);
        }

        @Override
        public void error(String message, Map<String, Object> details) {
          lines.add("error: " + message + details);
        }
      };

  private CountersignBuilder builder(String url) {
    return Countersign.builder()
        .apiKey("csk_test")
        .baseUrl(url)
        .logger(logger)
        .onRequest(events::add)
        .onResponse(events::add);
  }

  private List<String> levels() {
    return lines.stream().map(line -> line.substring(0, line.indexOf(':'))).collect(Collectors.toList());
  }

  private void assertNoKeys() {
    String everything = lines + " " + events;
    assertFalse(everything.contains(KEY) || everything.contains("csk_test"), everything);
  }

  @Test
  void anOutageIsLoggedOnceUntilThereIsAVerdict() throws Exception {
    Countersign client = builder(UNREACHABLE).retries(0).build();
    for (int count = 0; count < 3; count++) assertThrows(ConnectionException.class, () -> client.validate(KEY));
    assertEquals(List.of("warn"), levels());
    assertNoKeys();

    lines.clear();
    boolean[] isDown = {true};
    try (RawServer server =
        new RawServer(
            out -> {
              if (isDown[0]) out.write("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".getBytes());
              else out.write(RawServer.active().getBytes());
            })) {
      Countersign other = builder(server.url()).retries(0).cache(Duration.ZERO).build();
      for (boolean down : new boolean[] {true, true, false, true, true}) {
        isDown[0] = down;
        other.check(KEY);
      }
      assertEquals(List.of("warn", "warn"), levels());
    }
  }

  @Test
  void aGracePeriodIsLoggedOnce() throws Exception {
    boolean[] isDown = {false};
    try (RawServer server =
        new RawServer(
            out -> {
              if (!isDown[0]) out.write(RawServer.active().getBytes());
            })) {
      Countersign client =
          builder(server.url()).retries(0).cache(Duration.ZERO).grace(Duration.ofDays(1)).build();
      assertTrue(client.validate(KEY).valid());
      isDown[0] = true;
      for (int count = 0; count < 3; count++)
        assertEquals(ValidateResult.Source.GRACE, client.validate(KEY).source());
      assertEquals(List.of("warn"), levels());
      assertTrue(lines.get(0).contains("grace period"), lines.get(0));
      assertNoKeys();
    }
  }

  @Test
  void hooksSeeEveryAttemptAndNoKey() throws Exception {
    try (RawServer server =
        new RawServer(
            "HTTP/1.1 502 Bad Gateway\r\nX-Request-Id: r1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")) {
      assertThrows(ServerException.class, () -> builder(server.url()).build().lookup(KEY));
    }
    assertEquals(4, events.size());
    RequestEvent request = (RequestEvent) events.get(2);
    assertEquals("GET", request.method());
    assertEquals("/api/v1/license/{key}", request.path());
    assertEquals(2, request.attempt());
    ResponseEvent response = (ResponseEvent) events.get(1);
    assertEquals(502, response.status().getAsInt());
    assertEquals("r1", response.requestId().orElseThrow());
    assertEquals(1, response.attempt());
    assertTrue(response.error().isEmpty());
    assertFalse(response.duration().isNegative());
    assertEquals(List.of("debug", "warn"), levels());
    assertNoKeys();
  }

  @Test
  void hooksSeeFailuresTimeoutsAndCancellations() throws Exception {
    assertThrows(ConnectionException.class, () -> builder(UNREACHABLE).retries(0).build().validate(KEY));
    try (HangingServer server = new HangingServer()) {
      Countersign client = builder(server.url()).build();
      ValidateOptions soon = ValidateOptions.none().timeout(Duration.ofMillis(50));
      assertThrows(TimeoutException.class, () -> client.validate(KEY, soon));
      client.validateAsync(KEY).cancel(true);
    }
    List<String> errors =
        events.stream()
            .filter(event -> event instanceof ResponseEvent)
            .map(event -> ((ResponseEvent) event).error().orElseThrow().getClass().getSimpleName())
            .collect(Collectors.toList());
    assertEquals(List.of("ConnectionException", "TimeoutException", "CancellationException"), errors);
    assertNoKeys();
  }

  @Test
  void hooksAndLoggersThatThrowChangeNothing() throws Exception {
    CountersignLogger broken =
        new CountersignLogger() {
          @Override
          public void debug(String message, Map<String, Object> details) {
            throw new LinkageError("debug");
          }

          @Override
          public void warn(String message, Map<String, Object> details) {
            details.clear();
          }

          @Override
          public void error(String message, Map<String, Object> details) {
            throw new IllegalStateException("error");
          }
        };
    try (RawServer server = new RawServer(RawServer.active())) {
      for (String url : List.of(server.url(), UNREACHABLE)) {
        Countersign client =
            builder(url)
                .logger(broken)
                .onRequest(
                    request -> {
                      throw new IllegalStateException("request");
                    })
                .onResponse(
                    response -> {
                      throw new AssertionError("response");
                    })
                .build();
        assertEquals(url.equals(server.url()), client.check(KEY).allowed());
      }
    }
    Countersign logged =
        builder(UNREACHABLE)
            .retries(0)
            .onRequest(
                request -> {
                  throw new IllegalStateException("request");
                })
            .build();
    assertThrows(ConnectionException.class, () -> logged.validate(KEY));
    assertTrue(lines.get(0).startsWith("error: ") && lines.get(0).contains("onRequest"), lines.get(0));
  }

  @Test
  void aFailingGraceStoreIsLoggedOnce() throws Exception {
    GraceStore failing =
        new GraceStore() {
          @Override
          public String load(String name) {
            throw new IllegalStateException("no disk");
          }

          @Override
          public void save(String name, String text) {}

          @Override
          public void remove(String name) {}
        };
    try (RawServer server = new RawServer(RawServer.active())) {
      Countersign client =
          builder(server.url()).cache(Duration.ZERO).grace(Duration.ofDays(1)).graceStore(failing).build();
      for (int count = 0; count < 3; count++) assertTrue(client.validate(KEY).valid());
    }
    assertEquals(List.of("warn"), levels());
    assertTrue(lines.get(0).contains("no disk"), lines.get(0));
  }

  @Test
  void theLoggerOfThePlatformIsOneCallAway() {
    CountersignLogger.system().warn("Nothing to worry about: this is a test.", Map.of("a", 1));
    assertThrows(IllegalArgumentException.class, () -> CountersignLogger.to(null));
  }
}
