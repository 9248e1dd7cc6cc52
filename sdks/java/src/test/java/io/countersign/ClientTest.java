package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of behavior that is specific to Java, beyond the conformance suite. */
@Timeout(60)
class ClientTest {
  private static final String KEY = ConformanceServer.DEFAULT_KEY;

  private static CountersignBuilder builder(String url) {
    return Countersign.builder().apiKey("csk_test").baseUrl(url);
  }

  @Test
  void laterChangesToTheBuilderDoNotAffectTheClient() throws Exception {
    try (RawServer server = new RawServer(RawServer.active())) {
      CountersignBuilder builder = builder(server.url());
      Countersign client = builder.build();
      builder.apiKey("csk_other").version("9.9.9");
      client.validate(KEY);
      assertTrue(server.requests.get(0).contains("Bearer csk_test"));
      assertFalse(server.requests.get(0).contains("9.9.9"));
    }
  }

  @Test
  void anHttpClientThatFollowsRedirectsIsRejected() {
    HttpClient follows = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    assertThrows(
        IllegalArgumentException.class, () -> builder("http://localhost").httpClient(follows).build());
  }

  @Test
  void aRedirectIsNotFollowed() throws Exception {
    String head = "HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nConnection: close\r\nLocation: ";
    try (RawServer other = new RawServer(RawServer.active());
        RawServer server = new RawServer(head + other.url() + "\r\n\r\n")) {
      assertThrows(ServerException.class, () -> builder(server.url()).build().validate(KEY));
      assertEquals(List.of(), other.requests);
    }
  }

  @Test
  void anApiKeyThatIsNotAValidHeaderValueIsRejected() {
    for (String wrong : List.of("csk_ü", "csk_\u0007", "csk_a\nb", "", " "))
      assertThrows(IllegalArgumentException.class, () -> builder("http://localhost").apiKey(wrong).build(), wrong);
  }

  @Test
  void aBaseUrlIsUsedWithoutCredentialsQueryAndFragment() throws Exception {
    try (RawServer server = new RawServer(RawServer.active())) {
      String inner = server.url().replace("http://", "HTTP://user:word@") + "/under//?a=b#c";
      assertTrue(builder(inner).build().validate(KEY).valid());
      assertTrue(server.requests.get(0).startsWith("POST /under/api/v1/validate HTTP/1.1\r\n"));
      assertEquals(server.url() + "/under/portal/open#" + KEY, builder(inner).build().portalUrl(KEY));
    }
    CountersignException problem =
        assertThrows(
            ConnectionException.class, () -> builder("http://user:word@127.0.0.1:1").build().validate(KEY));
    assertFalse(problem.getMessage().contains("word"), problem.getMessage());
    for (String wrong : List.of("", "licenses.example.com", "ftp://example.com", "https://", "http://a b"))
      assertThrows(IllegalArgumentException.class, () -> builder(wrong).build(), wrong);
  }

  @Test
  void nullAndEmptyArgumentsAreRejected() {
    Countersign client = builder("http://localhost").build();
    for (String none : new String[] {null, "", " "}) {
      assertThrows(IllegalArgumentException.class, () -> client.validate(none));
      assertThrows(IllegalArgumentException.class, () -> client.lookup(none));
      assertThrows(IllegalArgumentException.class, () -> client.portalUrl(none));
      assertThrows(
          IllegalArgumentException.class, () -> client.watch(none, Duration.ofHours(1), (result, before) -> {}));
    }
    assertThrows(IllegalArgumentException.class, () -> Countersign.builder().timeout(null));
    assertThrows(IllegalArgumentException.class, () -> Countersign.builder().grace(Duration.ofDays(31)));
    assertThrows(
        IllegalArgumentException.class, () -> client.watch(KEY, null, (result, before) -> {}));
  }

  @Test
  void nonAsciiKeysAreSentUnchanged() throws Exception {
    String key = "Schlüssel ÷ 鍵 🔑/?#%+*~";
    try (RawServer server = new RawServer(RawServer.active())) {
      builder(server.url()).build().validate(key, ValidateOptions.none().deviceId("a\"\\\n\u2028"));
      String request = server.requests.get(0);
      Map<String, Object> body = Json.object(request.substring(request.indexOf("\r\n\r\n") + 4));
      assertEquals(Map.of("license_key", key, "device_id", "a\"\\\n\u2028"), body);
    }
    try (RawServer server = new RawServer(RawServer.ok("{}"))) {
      assertThrows(ServerException.class, () -> builder(server.url()).build().lookup(key));
      String path = server.requests.get(0).split(" ")[1];
      assertEquals("/api/v1/license/" + key, java.net.URI.create(path).getPath() + unescapedNote(path));
    }
  }

  private static String unescapedNote(String path) {
    return path.contains("#") || path.contains("?") ? " (not escaped)" : "";
  }

  @Test
  void futuresFailWithTheCause() throws Exception {
    Countersign client = builder("http://127.0.0.1:1").build();
    Throwable problem =
        assertThrows(ExecutionException.class, () -> client.validateAsync(KEY).get()).getCause();
    assertTrue(problem instanceof ConnectionException, problem.toString());
    assertTrue(client.checkAsync(KEY).get().problem().orElseThrow() instanceof ConnectionException);
    for (CompletableFuture<?> wrong :
        List.of(client.validateAsync(""), client.checkAsync(""), client.lookupAsync(""))) {
      Throwable cause = assertThrows(ExecutionException.class, wrong::get).getCause();
      assertTrue(cause instanceof IllegalArgumentException, cause.toString());
    }
  }

  @Test
  void callersCannotChangeCachedResults() throws Exception {
    try (RawServer server = new RawServer(RawServer.active())) {
      Map<String, Object> custom = builder(server.url()).build().validate(KEY).custom().orElseThrow();
      assertThrows(UnsupportedOperationException.class, () -> custom.put("more", 1));
      assertThrows(UnsupportedOperationException.class, () -> ((List<?>) custom.get("list")).clear());
      assertThrows(UnsupportedOperationException.class, () -> ((Map<?, ?>) custom.get("map")).clear());
    }
  }

  @Test
  void aResponseThatIsNotHttpIsAConnectionError() throws Exception {
    for (String wrong :
        List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n\r\n",
            "\r\n\r\n\r\n"))
      try (RawServer server = new RawServer(wrong)) {
        assertThrows(ConnectionException.class, () -> builder(server.url()).build().validate(KEY), wrong);
      }
  }

  @Test
  void anEndlessResponseIsAConnectionError() throws Exception {
    RawServer.Answer endless =
        out -> {
          out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(UTF_8));
          byte[] spaces = " ".repeat(65_536).getBytes(UTF_8);
          while (true) out.write(spaces);
        };
    try (RawServer server = new RawServer(endless)) {
      CountersignException problem =
          assertThrows(ConnectionException.class, () -> builder(server.url()).build().validate(KEY));
      assertFalse(problem instanceof TimeoutException);
    }
  }

  @Test
  void theTimeoutCoversTheWholeBody() throws Exception {
    CountDownLatch wasClosed = new CountDownLatch(1);
    RawServer.Answer slow =
        out -> {
          out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".getBytes(UTF_8));
          try {
            for (int count = 0; count < 900; count++) {
              out.write(' ');
              out.flush();
              Thread.sleep(20);
            }
          } catch (java.io.IOException closed) {
            wasClosed.countDown();
          }
        };
    try (RawServer server = new RawServer(slow)) {
      long start = System.nanoTime();
      Countersign client = builder(server.url()).timeout(Duration.ofMillis(600)).build();
      assertThrows(TimeoutException.class, () -> client.validate(KEY));
      assertTrue(System.nanoTime() - start < 5_000_000_000L);
      assertTrue(wasClosed.await(10, TimeUnit.SECONDS), "the connection is closed too");
    }
  }

  @Test
  void aServerThatDoesNotAcceptConnectionsIsATimeout() throws Exception {
    List<Socket> waiting = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (int count = 0; count < 8; count++) {
        Socket one = new Socket();
        waiting.add(one);
        try {
          one.connect(full.getLocalSocketAddress(), 100);
        } catch (java.net.SocketTimeoutException isFull) {
          break;
        }
      }
      Countersign client =
          builder("http://127.0.0.1:" + full.getLocalPort()).timeout(Duration.ofMillis(500)).build();
      assertThrows(TimeoutException.class, () -> client.validate(KEY));
    } finally {
      for (Socket one : waiting) one.close();
    }
  }

  @Test
  void anInterruptedThreadDoesNotAffectOtherCallers() throws Exception {
    CountDownLatch requestArrived = new CountDownLatch(1);
    CountDownLatch mayAnswer = new CountDownLatch(1);
    RawServer.Answer later =
        out -> {
          requestArrived.countDown();
          mayAnswer.await();
          out.write(RawServer.active().getBytes(UTF_8));
        };
    try (RawServer server = new RawServer(later)) {
      Countersign client = builder(server.url()).timeout(Duration.ofSeconds(30)).build();
      AtomicReference<Object> first = new AtomicReference<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  first.set(client.validate(KEY));
                } catch (ConnectionException interrupted) {
                  first.set(Thread.currentThread().isInterrupted());
                }
              });
      thread.start();
      assertTrue(requestArrived.await(10, TimeUnit.SECONDS));
      CompletableFuture<ValidateResult> second = client.validateAsync(KEY);
      CompletableFuture<ValidateResult> third = client.validateAsync(KEY);
      Thread.sleep(200);
      thread.interrupt();
      thread.join(10_000);
      assertEquals(true, first.get());
      third.cancel(true);
      mayAnswer.countDown();
      assertTrue(second.get(10, TimeUnit.SECONDS).valid());
      assertEquals(1, server.requests.size());
    }
  }

  @Test
  void aFailingStoreChangesNoVerdict() throws Exception {
    GraceStore failing =
        new GraceStore() {
          @Override
          public String load(String name) {
            throw new IllegalStateException("no disk");
          }

          @Override
          public void save(String name, String text) {
            throw new IllegalStateException("no disk");
          }

          @Override
          public void remove(String name) {
            throw new IllegalStateException("no disk");
          }
        };
    try (RawServer server = new RawServer(RawServer.active());
        RawServer rejecting = new RawServer(RawServer.ok("{\"valid\":false,\"status\":\"revoked\"}"))) {
      Duration week = Duration.ofDays(7);
      assertTrue(builder(server.url()).grace(week).graceStore(failing).build().validate(KEY).valid());
      assertFalse(builder(rejecting.url()).grace(week).graceStore(failing).build().validate(KEY).valid());
    }
    Countersign unreachable = builder("http://127.0.0.1:1").grace(Duration.ofDays(7)).graceStore(failing).build();
    assertThrows(ConnectionException.class, () -> unreachable.validate(KEY));
  }

  @Test
  void aRejectionAppliesWithoutTheStoreAndAnEntryThatCannotBeUpdatedGrantsNothing() {
    java.util.Map<String, String> stored = new java.util.HashMap<>();
    java.util.concurrent.atomic.AtomicBoolean isFull = new java.util.concurrent.atomic.AtomicBoolean();
    GraceStore store =
        new GraceStore() {
          @Override
          public String load(String name) {
            return stored.get(name);
          }

          @Override
          public void save(String name, String text) {
            if (isFull.get()) throw new IllegalStateException("no disk");
            stored.put(name, text);
          }

          @Override
          public void remove(String name) {
            throw new IllegalStateException("no disk");
          }
        };
    Grace grace = new Grace(3_600_000, store, "csk_test", Clock.SYSTEM, 10);
    String body = "{\"valid\":true,\"status\":\"active\"}";
    grace.recordGrant(
        KEY, KEY, ValidateResult.read(body, ValidateResult.Source.SERVER, java.time.Instant.now(), null));
    assertNotNull(grace.graceResult(KEY, KEY));
    isFull.set(true);
    assertNull(grace.graceResult(KEY, KEY));
    isFull.set(false);
    assertNotNull(grace.graceResult(KEY, KEY));
    grace.recordRejection(KEY);
    assertNull(grace.graceResult(KEY, KEY));
  }

  @Test
  void aRejectedLicenseGetsNoGracePeriodEvenAfterItsRejectionWasEvicted() {
    java.util.Map<String, String> stored = new java.util.HashMap<>();
    GraceStore store =
        new GraceStore() {
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
            throw new IllegalStateException("no disk");
          }
        };
    ValidateResult result =
        ValidateResult.read(
            "{\"valid\":true,\"status\":\"active\"}", ValidateResult.Source.SERVER, java.time.Instant.now(), null);
    Grace earlier = new Grace(3_600_000, store, "csk_test", Clock.SYSTEM, 10);
    List<String> keys = List.of("A", "B", "C", "D");
    keys.forEach(key -> earlier.recordGrant(key, key, result));
    earlier.recordGrant("OLD", "OLD", result);

    Grace grace = new Grace(3_600_000, store, "csk_test", Clock.SYSTEM, 2);
    keys.forEach(grace::recordRejection);
    grace.recordGrant("NEW", "NEW", result);
    grace.recordGrant("AGAIN", "AGAIN", result);
    for (String key : keys) assertNull(grace.graceResult(key, key), key);
    assertNotNull(grace.graceResult("NEW", "NEW"));
    assertTrue(grace.size() <= 4);
    // A rejection was evicted from memory, so grants of an earlier process are ignored.
    assertNull(grace.graceResult("OLD", "OLD"));
    grace.recordGrant("A", "A", result);
    assertNotNull(grace.graceResult("A", "A"));
  }

  @Test
  void aRejectionDuringAConcurrentGraceCheckIsNotLost() throws Exception {
    java.util.Map<String, String> stored = new java.util.concurrent.ConcurrentHashMap<>();
    java.util.concurrent.CountDownLatch loading = new java.util.concurrent.CountDownLatch(2);
    java.util.concurrent.CountDownLatch resume = new java.util.concurrent.CountDownLatch(1);
    GraceStore slow =
        new GraceStore() {
          @Override
          public String load(String name) {
            String text = stored.get(name);
            loading.countDown();
            try {
              if (text != null) resume.await();
            } catch (InterruptedException ended) {
              Thread.currentThread().interrupt();
            }
            return text;
          }

          @Override
          public void save(String name, String text) {
            stored.put(name, text);
          }

          @Override
          public void remove(String name) {
            stored.remove(name);
          }
        };
    Grace grace = new Grace(3_600_000, slow, "csk_test", Clock.SYSTEM, 10);
    String body = "{\"valid\":true,\"status\":\"active\"}";
    grace.recordGrant(KEY, "1", ValidateResult.read(body, ValidateResult.Source.SERVER, java.time.Instant.now(), null));
    assertEquals(1, stored.size());
    assertFalse(stored.toString().contains(KEY));
    Thread graceCheck = new Thread(() -> grace.graceResult(KEY, "1"));
    Thread rejection = new Thread(() -> grace.recordRejection(KEY));
    graceCheck.start();
    loading.await();
    rejection.start();
    // Enough time to finish, if nothing blocked it.
    rejection.join(200);
    resume.countDown();
    graceCheck.join();
    rejection.join();
    assertTrue(stored.isEmpty());
  }

  @Test
  void productsThatShareAFolderHaveSeparateGracePeriods(@org.junit.jupiter.api.io.TempDir java.nio.file.Path folder) {
    FileGraceStore store = new FileGraceStore(folder);
    Grace one = new Grace(3_600_000, store, "csk_one", Clock.SYSTEM, 10);
    Grace other = new Grace(3_600_000, store, "csk_other", Clock.SYSTEM, 10);
    ValidateResult result =
        ValidateResult.read(
            "{\"valid\":true,\"status\":\"active\"}", ValidateResult.Source.SERVER, java.time.Instant.now(), null);
    one.recordGrant(KEY, "", result);
    other.recordGrant(KEY, "", result);
    assertNotNull(one.graceResult(KEY, ""));
    assertNotNull(other.graceResult(KEY, ""));
  }

  @Test
  void memoryIsBounded() {
    Grace grace = new Grace(1_000, null, "csk_test", Clock.SYSTEM, 10);
    ValidateResult result =
        ValidateResult.read(
            "{\"valid\":true,\"status\":\"active\"}", ValidateResult.Source.SERVER, java.time.Instant.now(), null);
    for (int count = 0; count < 100; count++) grace.recordGrant("key " + count, "", result);
    assertEquals(10, grace.size());
  }

  @Test
  void hugeTimesAndNumbersAreAccepted() throws Exception {
    String body =
        "{\"valid\":true,\"status\":\"active\",\"expires\":\"+999999999-01-01T00:00:00Z\","
            + "\"max_ips\":99999999999,\"custom\":{\"n\":1e999},\"signature\":null}";
    try (RawServer server = new RawServer(RawServer.ok(body))) {
      ValidateResult result = builder(server.url()).build().validate(KEY);
      assertTrue(result.valid());
      assertEquals(Integer.MAX_VALUE, result.maxIps().orElseThrow());
    }
  }

  @Test
  void aFractionalRetryAfterIsRoundedUp() throws Exception {
    try (RawServer server =
        new RawServer("HTTP/1.1 429 Busy\r\nRetry-After: 1.5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")) {
      RateLimitException problem =
          assertThrows(RateLimitException.class, () -> builder(server.url()).build().validate(KEY));
      assertEquals(Duration.ofSeconds(2), problem.retryAfter());
    }
  }

  @Test
  void anInvalidToleranceIsRejected() {
    Signing signing = Signing.with("product", "0".repeat(64));
    for (Duration wrong : new Duration[] {null, Duration.ZERO, Duration.ofDays(1), Duration.ofSeconds(Long.MAX_VALUE)})
      assertThrows(IllegalArgumentException.class, () -> signing.withTolerance(wrong));
  }

  @Test
  void noThreadKeepsTheAppAlive() throws Exception {
    try (RawServer server = new RawServer(RawServer.active())) {
      Countersign client = builder(server.url()).build();
      client.validateAsync(KEY).get();
      try (Watch watch = client.watch(KEY, Duration.ofHours(1), (result, before) -> {})) {
        assertNotNull(watch);
        for (Thread thread : Thread.getAllStackTraces().keySet())
          if (thread.getName().matches("(?i).*(countersign|HttpClient).*"))
            assertTrue(thread.isDaemon(), thread.getName());
      }
    }
  }
}
