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

/** What the conformance suite cannot say, because only Java has it. */
@Timeout(60)
class ClientTest {
  private static final String KEY = TestServer.USUAL_KEY;

  private static CountersignBuilder builder(String url) {
    return Countersign.builder().apiKey("csk_test").baseUrl(url);
  }

  @Test
  void aBuilderThatIsChangedLaterDoesNotChangeTheClient() throws Exception {
    try (RawServer server = new RawServer(RawServer.active())) {
      CountersignBuilder builder = builder(server.url());
      Countersign client = builder.build();
      builder.apiKey("csk_other").version("9.9.9");
      client.validate(KEY);
      assertTrue(server.questions.get(0).contains("Bearer csk_test"));
      assertFalse(server.questions.get(0).contains("9.9.9"));
    }
  }

  @Test
  void anHttpClientThatWouldTakeTheKeyElsewhereIsRefused() {
    HttpClient follows = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    assertThrows(
        IllegalArgumentException.class, () -> builder("http://localhost").httpClient(follows).build());
  }

  @Test
  void aRedirectIsNotFollowed() throws Exception {
    String head = "HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nConnection: close\r\nLocation: ";
    try (RawServer elsewhere = new RawServer(RawServer.active());
        RawServer server = new RawServer(head + elsewhere.url() + "\r\n\r\n")) {
      assertThrows(ServerException.class, () -> builder(server.url()).build().validate(KEY));
      assertEquals(List.of(), elsewhere.questions);
    }
  }

  @Test
  void whatCannotStandInAHeaderIsNoApiKey() {
    for (String wrong : List.of("csk_ü", "csk_\u0007", "csk_a\nb", "", " "))
      assertThrows(IllegalArgumentException.class, () -> builder("http://localhost").apiKey(wrong).build(), wrong);
  }

  @Test
  void aBaseUrlIsTakenWithoutWhatDoesNotBelongToIt() throws Exception {
    try (RawServer server = new RawServer(RawServer.active())) {
      String inner = server.url().replace("http://", "HTTP://user:word@") + "/under//?a=b#c";
      assertTrue(builder(inner).build().validate(KEY).valid());
      assertTrue(server.questions.get(0).startsWith("POST /under/api/v1/validate HTTP/1.1\r\n"));
    }
    CountersignException problem =
        assertThrows(
            ConnectionException.class, () -> builder("http://user:word@127.0.0.1:1").build().validate(KEY));
    assertFalse(problem.getMessage().contains("word"), problem.getMessage());
    for (String wrong : List.of("", "licenses.example.com", "ftp://example.com", "https://", "http://a b"))
      assertThrows(IllegalArgumentException.class, () -> builder(wrong).build(), wrong);
  }

  @Test
  void whatIsNullOrEmptyIsNamed() {
    Countersign client = builder("http://localhost").build();
    for (String none : new String[] {null, "", " "}) {
      assertThrows(IllegalArgumentException.class, () -> client.validate(none));
      assertThrows(IllegalArgumentException.class, () -> client.lookup(none));
      assertThrows(
          IllegalArgumentException.class, () -> client.watch(none, Duration.ofHours(1), (result, before) -> {}));
    }
    assertThrows(IllegalArgumentException.class, () -> Countersign.builder().timeout(null));
    assertThrows(IllegalArgumentException.class, () -> Countersign.builder().grace(Duration.ofDays(31)));
    assertThrows(
        IllegalArgumentException.class, () -> client.watch(KEY, null, (result, before) -> {}));
  }

  @Test
  void keysBeyondAsciiArriveAsTheyAre() throws Exception {
    String key = "Schlüssel ÷ 鍵 🔑/?#%+*~";
    try (RawServer server = new RawServer(RawServer.active())) {
      builder(server.url()).build().validate(key, ValidateOptions.none().deviceId("a\"\\\n\u2028"));
      String question = server.questions.get(0);
      Map<String, Object> body = Json.object(question.substring(question.indexOf("\r\n\r\n") + 4));
      assertEquals(Map.of("license_key", key, "device_id", "a\"\\\n\u2028"), body);
    }
    try (RawServer server = new RawServer(RawServer.ok("{}"))) {
      assertThrows(ServerException.class, () -> builder(server.url()).build().lookup(key));
      String path = server.questions.get(0).split(" ")[1];
      assertEquals("/api/v1/license/" + key, java.net.URI.create(path).getPath() + fragmentless(path));
    }
  }

  private static String fragmentless(String path) {
    return path.contains("#") || path.contains("?") ? " (not escaped)" : "";
  }

  @Test
  void futuresFailWithWhatWentWrong() throws Exception {
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
  void whatIsRememberedCannotBeChangedByWhoReadsIt() throws Exception {
    try (RawServer server = new RawServer(RawServer.active())) {
      Map<String, Object> custom = builder(server.url()).build().validate(KEY).custom().orElseThrow();
      assertThrows(UnsupportedOperationException.class, () -> custom.put("more", 1));
      assertThrows(UnsupportedOperationException.class, () -> ((List<?>) custom.get("list")).clear());
      assertThrows(UnsupportedOperationException.class, () -> ((Map<?, ?>) custom.get("map")).clear());
    }
  }

  @Test
  void anAnswerThatIsNoHttpIsNoConnection() throws Exception {
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
  void anAnswerWithoutEndIsCutOff() throws Exception {
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
  void theTimeIsForTheWholeBody() throws Exception {
    CountDownLatch wasLeft = new CountDownLatch(1);
    RawServer.Answer slow =
        out -> {
          out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".getBytes(UTF_8));
          try {
            for (int count = 0; count < 900; count++) {
              out.write(' ');
              out.flush();
              Thread.sleep(20);
            }
          } catch (java.io.IOException left) {
            wasLeft.countDown();
          }
        };
    try (RawServer server = new RawServer(slow)) {
      long start = System.nanoTime();
      Countersign client = builder(server.url()).timeout(Duration.ofMillis(600)).build();
      assertThrows(TimeoutException.class, () -> client.validate(KEY));
      assertTrue(System.nanoTime() - start < 5_000_000_000L);
      assertTrue(wasLeft.await(10, TimeUnit.SECONDS), "the connection is given up too");
    }
  }

  @Test
  void aServerThatDoesNotAcceptIsATimeout() throws Exception {
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
  void whoIsInterruptedLeavesTheOthersTheirAnswer() throws Exception {
    CountDownLatch wasAsked = new CountDownLatch(1);
    CountDownLatch mayAnswer = new CountDownLatch(1);
    RawServer.Answer later =
        out -> {
          wasAsked.countDown();
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
      assertTrue(wasAsked.await(10, TimeUnit.SECONDS));
      CompletableFuture<ValidateResult> second = client.validateAsync(KEY);
      CompletableFuture<ValidateResult> third = client.validateAsync(KEY);
      Thread.sleep(200);
      thread.interrupt();
      thread.join(10_000);
      assertEquals(true, first.get());
      third.cancel(true);
      mayAnswer.countDown();
      assertTrue(second.get(10, TimeUnit.SECONDS).valid());
      assertEquals(1, server.questions.size());
    }
  }

  @Test
  void aStoreThatFailsDoesNotTakeTheVerdictAway() throws Exception {
    GraceStore broken =
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
        RawServer refusing = new RawServer(RawServer.ok("{\"valid\":false,\"status\":\"revoked\"}"))) {
      Duration week = Duration.ofDays(7);
      assertTrue(builder(server.url()).grace(week).graceStore(broken).build().validate(KEY).valid());
      assertFalse(builder(refusing.url()).grace(week).graceStore(broken).build().validate(KEY).valid());
    }
    Countersign away = builder("http://127.0.0.1:1").grace(Duration.ofDays(7)).graceStore(broken).build();
    assertThrows(ConnectionException.class, () -> away.validate(KEY));
  }

  @Test
  void aRefusalHoldsWithoutTheStoreAndWhatCannotBeNotedGrantsNothing() {
    java.util.Map<String, String> kept = new java.util.HashMap<>();
    java.util.concurrent.atomic.AtomicBoolean isFull = new java.util.concurrent.atomic.AtomicBoolean();
    GraceStore store =
        new GraceStore() {
          @Override
          public String load(String name) {
            return kept.get(name);
          }

          @Override
          public void save(String name, String text) {
            if (isFull.get()) throw new IllegalStateException("no disk");
            kept.put(name, text);
          }

          @Override
          public void remove(String name) {
            throw new IllegalStateException("no disk");
          }
        };
    Grace grace = new Grace(3_600_000, store, "csk_test", Clock.SYSTEM, 10);
    String body = "{\"valid\":true,\"status\":\"active\"}";
    grace.granted(
        KEY, KEY, ValidateResult.read(body, ValidateResult.Source.SERVER, java.time.Instant.now(), null));
    assertNotNull(grace.lastWord(KEY, KEY));
    isFull.set(true);
    assertNull(grace.lastWord(KEY, KEY));
    isFull.set(false);
    assertNotNull(grace.lastWord(KEY, KEY));
    grace.refused(KEY);
    assertNull(grace.lastWord(KEY, KEY));
  }

  @Test
  void howeverManyAreRefusedNoneIsGrantedFromAStoreThatCouldNotRemoveIt() {
    java.util.Map<String, String> kept = new java.util.HashMap<>();
    GraceStore store =
        new GraceStore() {
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
            throw new IllegalStateException("no disk");
          }
        };
    ValidateResult result =
        ValidateResult.read(
            "{\"valid\":true,\"status\":\"active\"}", ValidateResult.Source.SERVER, java.time.Instant.now(), null);
    Grace earlier = new Grace(3_600_000, store, "csk_test", Clock.SYSTEM, 10);
    List<String> keys = List.of("A", "B", "C", "D");
    keys.forEach(key -> earlier.granted(key, key, result));
    earlier.granted("OLD", "OLD", result);

    Grace grace = new Grace(3_600_000, store, "csk_test", Clock.SYSTEM, 2);
    keys.forEach(grace::refused);
    grace.granted("NEW", "NEW", result);
    grace.granted("AGAIN", "AGAIN", result);
    for (String key : keys) assertNull(grace.lastWord(key, key), key);
    assertNotNull(grace.lastWord("NEW", "NEW"));
    assertTrue(grace.size() <= 4);
    // Nobody knows any more which were refused, so that of an earlier process counts for nothing.
    assertNull(grace.lastWord("OLD", "OLD"));
    grace.granted("A", "A", result);
    assertNotNull(grace.lastWord("A", "A"));
  }

  @Test
  void aRefusalStaysAlthoughSomebodyWasJustBeingGrantedGrace() throws Exception {
    java.util.Map<String, String> kept = new java.util.concurrent.ConcurrentHashMap<>();
    java.util.concurrent.CountDownLatch loading = new java.util.concurrent.CountDownLatch(2);
    java.util.concurrent.CountDownLatch goOn = new java.util.concurrent.CountDownLatch(1);
    GraceStore slow =
        new GraceStore() {
          @Override
          public String load(String name) {
            String text = kept.get(name);
            loading.countDown();
            try {
              if (text != null) goOn.await();
            } catch (InterruptedException ended) {
              Thread.currentThread().interrupt();
            }
            return text;
          }

          @Override
          public void save(String name, String text) {
            kept.put(name, text);
          }

          @Override
          public void remove(String name) {
            kept.remove(name);
          }
        };
    Grace grace = new Grace(3_600_000, slow, "csk_test", Clock.SYSTEM, 10);
    String body = "{\"valid\":true,\"status\":\"active\"}";
    grace.granted(KEY, "1", ValidateResult.read(body, ValidateResult.Source.SERVER, java.time.Instant.now(), null));
    assertEquals(1, kept.size());
    assertFalse(kept.toString().contains(KEY));
    Thread granting = new Thread(() -> grace.lastWord(KEY, "1"));
    Thread refusing = new Thread(() -> grace.refused(KEY));
    granting.start();
    loading.await();
    refusing.start();
    // As long as it takes where nothing holds it up.
    refusing.join(200);
    goOn.countDown();
    granting.join();
    refusing.join();
    assertTrue(kept.isEmpty());
  }

  @Test
  void productsThatShareAFolderKeepTheirOwn(@org.junit.jupiter.api.io.TempDir java.nio.file.Path folder) {
    FileGraceStore store = new FileGraceStore(folder);
    Grace one = new Grace(3_600_000, store, "csk_one", Clock.SYSTEM, 10);
    Grace other = new Grace(3_600_000, store, "csk_other", Clock.SYSTEM, 10);
    ValidateResult result =
        ValidateResult.read(
            "{\"valid\":true,\"status\":\"active\"}", ValidateResult.Source.SERVER, java.time.Instant.now(), null);
    one.granted(KEY, "", result);
    other.granted(KEY, "", result);
    assertNotNull(one.lastWord(KEY, ""));
    assertNotNull(other.lastWord(KEY, ""));
  }

  @Test
  void manyLicensesDoNotFillTheMemory() {
    Grace grace = new Grace(1_000, null, "csk_test", Clock.SYSTEM, 10);
    ValidateResult result =
        ValidateResult.read(
            "{\"valid\":true,\"status\":\"active\"}", ValidateResult.Source.SERVER, java.time.Instant.now(), null);
    for (int count = 0; count < 100; count++) grace.granted("key " + count, "", result);
    assertEquals(10, grace.size());
  }

  @Test
  void timesAndNumbersBeyondAllBoundsHarmNothing() throws Exception {
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
  void partsOfASecondAreWaitedForInFull() throws Exception {
    try (RawServer server =
        new RawServer("HTTP/1.1 429 Busy\r\nRetry-After: 1.5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")) {
      RateLimitException problem =
          assertThrows(RateLimitException.class, () -> builder(server.url()).build().validate(KEY));
      assertEquals(Duration.ofSeconds(2), problem.retryAfter());
    }
  }

  @Test
  void aToleranceThatToleratesEverythingIsRefused() {
    Signing signing = Signing.with("product", "0".repeat(64));
    for (Duration wrong : new Duration[] {null, Duration.ZERO, Duration.ofDays(1), Duration.ofSeconds(Long.MAX_VALUE)})
      assertThrows(IllegalArgumentException.class, () -> signing.withTolerance(wrong));
  }

  @Test
  void nothingKeepsTheAppAlive() throws Exception {
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
