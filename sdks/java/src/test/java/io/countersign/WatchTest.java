package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WatchTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static ValidateResult resultWith(String status) {
    String body = "{\"valid\":" + status.equals("active") + ",\"status\":\"" + status + "\"}";
    return ValidateResult.read(body, ValidateResult.Source.SERVER, Instant.now(), ResponseFacts.NONE);
  }

  private static Watch watch(Supplier<ValidateResult> validate, Watch.Listener listener, Reporter reporter) {
    Supplier<CompletableFuture<ValidateResult>> async =
        () -> {
          try {
            return CompletableFuture.completedFuture(validate.get());
          } catch (RuntimeException problem) {
            return CompletableFuture.failedFuture(problem);
          }
        };
    return new Watch(async, SECOND, listener, () -> 0, Threads.work(null), reporter).start();
  }

  @Test
  void reportsTheFirstVerdictAndEveryChange() throws Exception {
    AtomicInteger requestCount = new AtomicInteger();
    BlockingQueue<String> reported = new LinkedBlockingQueue<>();
    Watch.Listener listener =
        new Watch.Listener() {
          @Override
          public void changed(ValidateResult result, Optional<ValidateResult> before) {
            reported.add(before.map(ValidateResult::status).orElse("nothing") + " to " + result.status());
          }

          @Override
          public void failed(CountersignException problem) {
            reported.add("failed");
          }
        };
    Watch watch =
        watch(
            () -> {
              int number = requestCount.getAndIncrement();
              if (number == 2) throw new ConnectionException("unreachable", null);
              return resultWith(number < 2 ? "active" : "revoked");
            },
            listener,
            new Reporter(null));
    assertEquals("nothing to active", reported.poll(10, TimeUnit.SECONDS));
    assertEquals("failed", reported.poll(10, TimeUnit.SECONDS));
    assertEquals("active to revoked", reported.poll(10, TimeUnit.SECONDS));
    watch.close();
    int before = requestCount.get();
    assertNull(reported.poll(1_500, TimeUnit.MILLISECONDS));
    assertEquals(before, requestCount.get());
  }

  @Test
  void aListenerThatThrowsIsLoggedAndDoesNotEndTheWatch() throws Exception {
    AtomicInteger requestCount = new AtomicInteger();
    CountDownLatch locked = new CountDownLatch(1);
    BlockingQueue<Object> logged = new LinkedBlockingQueue<>();
    CountersignLogger logger =
        new CountersignLogger() {
          @Override
          public void error(String message, Map<String, Object> details) {
            logged.add(details.get("error").toString());
            throw new StackOverflowError("the logger failed too");
          }
        };
    Watch.Listener listener =
        new Watch.Listener() {
          @Override
          public void changed(ValidateResult result, Optional<ValidateResult> before) {
            if (result.valid()) throw new AssertionError("changed failed");
            locked.countDown();
          }

          @Override
          public void failed(CountersignException problem) {
            throw new IllegalStateException("failed failed");
          }
        };
    try (Watch watch =
        watch(
            () -> {
              int number = requestCount.getAndIncrement();
              if (number == 1) throw new ConnectionException("unreachable", null);
              return resultWith(number == 0 ? "active" : "revoked");
            },
            listener,
            new Reporter(logger))) {
      assertTrue(locked.await(20, TimeUnit.SECONDS), watch + " continues");
      assertEquals("java.lang.AssertionError: changed failed", logged.remove());
      assertEquals("java.lang.IllegalStateException: failed failed", logged.remove());
    }
  }

  @Test
  void theIntervalIsBounded() {
    Countersign client = Countersign.builder().apiKey("csk_test").baseUrl("http://127.0.0.1:1").build();
    for (Duration wrong :
        new Duration[] {
          null,
          Duration.ZERO,
          Duration.ofMillis(999),
          Duration.ofDays(30).plusMillis(1),
          Duration.ofSeconds(Long.MAX_VALUE)
        })
      assertThrows(IllegalArgumentException.class, () -> client.watch("KEY", wrong, (result, before) -> {}));
    client.watch("KEY", Duration.ofDays(30), (result, before) -> {}).close();
  }

  @Test
  void aLongIntervalDoesNotOverflow() throws Exception {
    CountDownLatch requests = new CountDownLatch(2);
    CountDownLatch reported = new CountDownLatch(1);
    Supplier<CompletableFuture<ValidateResult>> validate =
        () -> {
          requests.countDown();
          return CompletableFuture.completedFuture(resultWith("active"));
        };
    Watch.Listener listener = (result, before) -> reported.countDown();
    try (Watch watch =
        new Watch(validate, Duration.ofDays(30), listener, () -> 1, Threads.work(null), new Reporter(null)).start()) {
      assertTrue(reported.await(10, TimeUnit.SECONDS));
      assertEquals(false, requests.await(300, TimeUnit.MILLISECONDS), watch + " waits");
    }
  }

  @Test
  void anEmptyKeyIsReportedLikeAnyVerdict() throws Exception {
    BlockingQueue<String> reported = new LinkedBlockingQueue<>();
    Countersign client = Countersign.builder().apiKey("csk_test").baseUrl("http://127.0.0.1:1").build();
    for (String key : new String[] {"", null})
      try (Watch watch = client.watch(key, SECOND, (result, before) -> reported.add(result.status()))) {
        assertEquals("license_not_found", reported.poll(10, TimeUnit.SECONDS), watch + " reports");
      }
  }
}
