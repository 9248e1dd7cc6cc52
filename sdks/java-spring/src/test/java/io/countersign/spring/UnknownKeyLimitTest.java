package io.countersign.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class UnknownKeyLimitTest {
  private final AtomicLong nanos = new AtomicLong();

  private UnknownKeyLimit limit(int perMinute) {
    return new UnknownKeyLimit(perMinute, Duration.ofSeconds(30), nanos::get);
  }

  private static void spend(UnknownKeyLimit limit, String address, int count) {
    for (int i = 0; i < count; i++) {
      UnknownKeyLimit.Permit permit = limit.acquire(address);
      assertThat(permit.limitedFor()).isEmpty();
      limit.finish(permit, true);
    }
  }

  @Test
  void aSpentTokenIsFreeAgainAfterItsShareOfAMinute() {
    UnknownKeyLimit limit = limit(10);
    spend(limit, "a", 10);
    assertThat(limit.acquire("a").limitedFor()).contains(Duration.ofSeconds(6));
    nanos.addAndGet(5_500_000_000L);
    assertThat(limit.acquire("a").limitedFor()).contains(Duration.ofSeconds(1));
    nanos.addAndGet(500_000_000L);
    spend(limit, "a", 1);
    assertThat(limit.acquire("a").limitedFor()).contains(Duration.ofSeconds(6));
    nanos.addAndGet(3_600_000_000_000L);
    spend(limit, "a", 10);
    assertThat(limit.acquire("a").limitedFor()).isPresent();
  }

  @Test
  void aWaitingThreadGetsAFreeTokenAndIsRefusedOnceNoCallIsInFlight() throws InterruptedException {
    UnknownKeyLimit limit = limit(2);
    UnknownKeyLimit.Permit first = limit.acquire("a");
    UnknownKeyLimit.Permit second = limit.acquire("a");
    BlockingQueue<UnknownKeyLimit.Permit> outcomes = new LinkedBlockingQueue<>();
    for (int i = 0; i < 3; i++) new Thread(() -> outcomes.add(limit.acquire("a"))).start();
    while (limit.waitingCount() < 3) Thread.onSpinWait();
    limit.finish(first, false);
    UnknownKeyLimit.Permit handedOver = outcomes.poll(30, TimeUnit.SECONDS);
    assertThat(handedOver.limitedFor()).isEmpty();
    limit.finish(handedOver, true);
    assertThat(outcomes).isEmpty();
    limit.finish(second, true);
    for (int i = 0; i < 2; i++)
      assertThat(outcomes.poll(30, TimeUnit.SECONDS).limitedFor()).contains(Duration.ofSeconds(30));
  }

  @Test
  void aThreadWaitsNoLongerThanItsLimit() {
    UnknownKeyLimit limit = new UnknownKeyLimit(1, Duration.ofMillis(10), nanos::get);
    UnknownKeyLimit.Permit held = limit.acquire("a");
    assertThat(limit.acquire("a").limitedFor()).isPresent();
    limit.finish(held, false);
    assertThat(limit.acquire("a").limitedFor()).isEmpty();
  }

  @Test
  void anInterruptedThreadIsRefused() {
    UnknownKeyLimit limit = limit(1);
    UnknownKeyLimit.Permit held = limit.acquire("a");
    Thread.currentThread().interrupt();
    assertThat(limit.acquire("a").limitedFor()).isPresent();
    assertThat(Thread.interrupted()).isTrue();
    limit.finish(held, false);
    assertThat(limit.callerCount()).isZero();
  }

  @Test
  void memoryIsBounded() {
    UnknownKeyLimit limit = limit(1);
    for (int i = 0; i < 10_100; i++) spend(limit, "caller " + i, 1);
    assertThat(limit.callerCount()).isEqualTo(10_000);
    assertThat(limit.acquire("caller 0").limitedFor()).isEmpty();
    assertThat(limit.acquire("caller 10099").limitedFor()).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1",
    "192.0.2.1:4321, 192.0.2.1",
    "::ffff:192.0.2.1, 192.0.2.1",
    "2001:DB8::1, 2001:db8:0:0::/64",
    "[2001:db8::1]:443, 2001:db8:0:0::/64",
    "2001:db8:0:0:ffff::1, 2001:db8:0:0::/64",
    "fe80::1%eth0, fe80:0:0:0::/64",
    "::1, 0:0:0:0::/64",
    "tenant-7, tenant-7",
    "192.0.2.999, 192.0.2.999",
    "1:2, 1:2",
    "'', ''",
  })
  void callersAreIpv4AddressesAndIpv6Networks(String address, String caller) {
    assertThat(CallerAddress.callerOf(address)).isEqualTo(caller);
  }

  @Test
  void aMissingAddressIsACallerToo() {
    assertThat(CallerAddress.callerOf(null)).isEmpty();
    assertThat(CallerAddress.callerOf("x".repeat(500))).hasSize(128);
  }
}
