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

  private static ValidateResult said(String status) {
    String body = "{\"valid\":" + status.equals("active") + ",\"status\":\"" + status + "\"}";
    return ValidateResult.read(body, ValidateResult.Source.SERVER, Instant.now(), null);
  }

  @Test
  void tellsTheFirstVerdictAndEveryOther() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    Watch.Listener listener =
        new Watch.Listener() {
          @Override
          public void changed(ValidateResult result, Optional<ValidateResult> before) {
            told.add(before.map(ValidateResult::status).orElse("nothing") + " to " + result.status());
          }

          @Override
          public void failed(CountersignException problem) {
            told.add("failed");
          }
        };
    Watch watch =
        new Watch(
            () -> {
              int number = asked.getAndIncrement();
              if (number == 2) throw new ConnectionException("away", null);
              return said(number < 2 ? "active" : "revoked");
            },
            SECOND,
            listener,
            () -> 0);
    assertEquals("nothing to active", told.poll(10, TimeUnit.SECONDS));
    assertEquals("failed", told.poll(10, TimeUnit.SECONDS));
    assertEquals("active to revoked", told.poll(10, TimeUnit.SECONDS));
    watch.close();
    int before = asked.get();
    assertNull(told.poll(1_500, TimeUnit.MILLISECONDS));
    assertEquals(before, asked.get());
  }

  @Test
  void aListenerThatThrowsDoesNotEndIt() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    CountDownLatch locked = new CountDownLatch(1);
    BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
    Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, problem) -> thrown.add(problem));
    Watch.Listener listener =
        (result, before) -> {
          if (result.valid()) throw new IllegalStateException("a window that was closed");
          locked.countDown();
        };
    try (Watch watch =
        new Watch(() -> said(asked.getAndIncrement() == 0 ? "active" : "revoked"), SECOND, listener, () -> 0)) {
      assertTrue(locked.await(10, TimeUnit.SECONDS), watch + " goes on");
      assertEquals("a window that was closed", thrown.remove().getMessage());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(usual);
    }
  }

  @Test
  void anIntervalBeyondAllBoundsIsALongOne() throws Exception {
    CountDownLatch asked = new CountDownLatch(2);
    BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
    Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, problem) -> thrown.add(problem));
    try (Watch watch =
        new Watch(
            () -> {
              asked.countDown();
              return said("active");
            },
            Duration.ofSeconds(Long.MAX_VALUE),
            (result, before) -> {},
            () -> 1)) {
      assertFalse(asked.await(500, TimeUnit.MILLISECONDS), watch + " waits");
      assertEquals(0, thrown.size());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(usual);
    }
  }
}
