package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
    for (String wrong : List.of("", "license.example.com", "ftp://example.com", "https://", "http://a b"))
      assertThrows(IllegalArgumentException.class, () -> builder(wrong).build(), wrong);
  }

  @Test
  void invalidArgumentsAreRejected() {
    Countersign client = builder("http://localhost").build();
    for (String none : new String[] {null, "", " "})
      assertThrows(IllegalArgumentException.class, () -> client.portalUrl(none));
    assertThrows(IllegalArgumentException.class, () -> Countersign.builder().timeout(null));
    assertThrows(IllegalArgumentException.class, () -> Countersign.builder().grace(Duration.ofDays(31)));
    assertThrows(IllegalArgumentException.class, () -> Countersign.builder().notFoundCache(Duration.ofHours(2)));
    assertThrows(IllegalArgumentException.class, () -> Countersign.builder().userAgent("a\nb"));
    for (int wrong : new int[] {-1, 6}) {
      assertThrows(IllegalArgumentException.class, () -> Countersign.builder().retries(wrong));
      assertThrows(IllegalArgumentException.class, () -> ValidateOptions.none().retries(wrong));
    }
    assertThrows(IllegalArgumentException.class, () -> ValidateOptions.none().timeout(Duration.ZERO));
  }

  @Test
  void aKeyThatNoLicenseCanHaveNeedsNoServer() {
    Countersign client = builder("http://127.0.0.1:1").build();
    for (String impossible : new String[] {null, "", " \u00a0", "A".repeat(65), "A\u0000B", "A\ud800B"}) {
      ValidateResult result = client.validate(impossible, ValidateOptions.none().fresh());
      assertEquals("license_not_found", result.status());
      assertEquals(ValidateResult.Source.LOCAL, result.source());
      assertFalse(client.check(impossible).allowed());
      NotFoundException problem = assertThrows(NotFoundException.class, () -> client.lookup(impossible));
      assertTrue(problem.requestId().isEmpty());
    }
    assertThrows(ConnectionException.class, () -> client.validate("\ud83d\ude00".repeat(64)));
  }

  @Test
  void futuresFailWithTheCause() throws Exception {
    Countersign client = builder("http://127.0.0.1:1").build();
    Throwable problem =
        assertThrows(ExecutionException.class, () -> client.validateAsync(KEY).get()).getCause();
    assertTrue(problem instanceof ConnectionException, problem.toString());
    // As in every stage of a future, so that handlers need not distinguish.
    for (CompletableFuture<?> call :
        List.of(client.validateAsync(KEY), client.validateAsync(KEY).thenApply(one -> one), client.lookupAsync(KEY))) {
      Throwable seen = call.handle((value, failure) -> failure).get();
      assertTrue(seen instanceof CompletionException, seen.toString());
      assertTrue(seen.getCause() instanceof ConnectionException, seen.toString());
    }
    assertTrue(client.checkAsync(KEY).get().problem().orElseThrow() instanceof ConnectionException);
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

  @Test
  void theTextOfObjectsContainsNoSecrets() throws Exception {
    String record =
        "{\"id\":\"l1\",\"license_key\":\""
            + KEY
            + "\",\"status\":\"active\",\"notes\":\"SECRET\",\"customer_email\":\"SECRET\"}";
    String verdict = "{\"valid\":true,\"status\":\"active\",\"custom\":{\"token\":\"SECRET\"}}";
    Signing signing = Signing.with("p1", "AB".repeat(32) + "," + "CD".repeat(32));
    assertEquals("Signing[productId=p1, secrets=2, tolerance=PT5M]", signing.toString());
    try (RawServer records = new RawServer(RawServer.ok(record));
        RawServer verdicts = new RawServer(RawServer.ok(verdict))) {
      Countersign client = builder(verdicts.url()).build();
      List<Object> all =
          List.of(
              client,
              client.validate(KEY),
              client.check(KEY),
              builder(records.url()).build().lookup(KEY),
              builder(records.url()),
              ValidateOptions.none());
      for (Object one : all)
        assertFalse(one.toString().matches(".*(csk_test|SECRET|" + KEY + ").*"), one.toString());
      assertTrue(all.get(1).toString().startsWith("ValidateResult[valid=true, status=active,"));
    }
  }

  @Test
  void statusesHaveAnEnumAndUnknownOnesPassThrough() throws Exception {
    try (RawServer server = new RawServer(RawServer.ok("{\"valid\":true,\"status\":\"brand_new\"}"))) {
      ValidateResult result = builder(server.url()).build().validate(KEY);
      assertEquals("brand_new", result.status());
      assertEquals(Status.UNKNOWN, result.knownStatus());
      assertFalse(result.valid());
    }
    assertEquals(Status.IP_LIMIT_REACHED, Status.of("ip_limit_reached"));
    assertEquals("ip_limit_reached", Status.IP_LIMIT_REACHED.code());
    assertEquals(Status.UNKNOWN, Status.of(null));
  }

  @Test
  void theCustomResponseCanBeReadAsATypeOfTheApp() throws Exception {
    try (RawServer server = new RawServer(RawServer.active())) {
      ValidateResult result = builder(server.url()).build().validate(KEY);
      assertEquals(1, result.customAs(custom -> ((List<?>) custom.get("list")).size()).orElseThrow());
    }
    assertTrue(builder("http://127.0.0.1:1").build().validate("").customAs(custom -> 1).isEmpty());
  }
}
