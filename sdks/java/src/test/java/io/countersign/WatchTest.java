package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WatchTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static ValidateResult resultWith(String status) {
    String body = "{\"valid\":" + status.equals("active") + ",\"status\":\"" + status + "\"}";
    return ValidateResult.read(body, ValidateResult.Source.SERVER, Instant.now(), null);
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
        new Watch(
            () -> {
              int number = requestCount.getAndIncrement();
              if (number == 2) throw new ConnectionException("unreachable", null);
              return resultWith(number < 2 ? "active" : "revoked");
            },
            SECOND,
            listener,
            () -> 0);
    assertEquals("nothing to active", reported.poll(10, TimeUnit.SECONDS));
    assertEquals("failed", reported.poll(10, TimeUnit.SECONDS));
    assertEquals("active to revoked", reported.poll(10, TimeUnit.SECONDS));
    watch.close();
    int before = requestCount.get();
    assertNull(reported.poll(1_500, TimeUnit.MILLISECONDS));
    assertEquals(before, requestCount.get());
  }

  @Test
  void anExceptionOfTheListenerDoesNotEndTheWatch() throws Exception {
    AtomicInteger requestCount = new AtomicInteger();
    CountDownLatch locked = new CountDownLatch(1);
    BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
    Thread.UncaughtExceptionHandler original = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, problem) -> thrown.add(problem));
    Watch.Listener listener =
        (result, before) -> {
          if (result.valid()) throw new IllegalStateException("the listener failed");
          locked.countDown();
        };
    try (Watch watch =
        new Watch(
            () -> resultWith(requestCount.getAndIncrement() == 0 ? "active" : "revoked"),
            SECOND,
            listener,
            () -> 0)) {
      assertTrue(locked.await(10, TimeUnit.SECONDS), watch + " continues");
      assertEquals("the listener failed", thrown.remove().getMessage());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(original);
    }
  }

  @Test
  void aHugeIntervalIsLimited() throws Exception {
    CountDownLatch requests = new CountDownLatch(2);
    BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
    Thread.UncaughtExceptionHandler original = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, problem) -> thrown.add(problem));
    try (Watch watch =
        new Watch(
            () -> {
              requests.countDown();
              return resultWith("active");
            },
            Duration.ofSeconds(Long.MAX_VALUE),
            (result, before) -> {},
            () -> 1)) {
      assertFalse(requests.await(500, TimeUnit.MILLISECONDS), watch + " waits");
      assertEquals(0, thrown.size());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(original);
    }
  }
}
