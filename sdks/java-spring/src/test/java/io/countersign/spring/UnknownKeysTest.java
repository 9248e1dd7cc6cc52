package io.countersign.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

/** Made-up keys cannot use up the daily limit, and customers do not notice. */
class UnknownKeysTest {
  private final PlayedCountersign server = new PlayedCountersign();

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void customersBehindOneAddressAreAllServed() throws Exception {
    List<Integer> statuses = sendAtOnce(LicensedApp.against(server), "VALID-");
    assertThat(statuses).hasSize(30).containsOnly(200);
    assertThat(server.requests).hasSize(30);
  }

  @Test
  void madeUpKeysAtOnceCostNoMoreRequests() throws Exception {
    List<Integer> statuses = sendAtOnce(LicensedApp.against(server), "MADE-UP-");
    assertThat(statuses).filteredOn(status -> status == 403).hasSize(10);
    assertThat(statuses).filteredOn(status -> status == 429).hasSize(20);
    assertThat(server.requests).hasSize(10);
  }

  @Test
  void madeUpKeysAreLimitedAndAPayingCustomerIsNot() throws Exception {
    LicensedApp app = LicensedApp.against(server);
    assertThat(app.send("VALID-1").getStatus()).isEqualTo(200);
    assertThat(app.send("REVOKED-1").getStatus()).isEqualTo(403);
    List<Integer> statuses = IntStream.range(0, 12).map(i -> app.send("MADE-UP-" + i).getStatus()).boxed().toList();
    assertThat(statuses.subList(0, 10)).containsOnly(403);
    assertThat(statuses.subList(10, 12)).containsOnly(429);
    MockHttpServletResponse limited = app.send("MADE-UP-12");
    assertThat(limited.getHeader("Retry-After")).isEqualTo("6");
    assertThat(limited.getContentAsString()).contains("\"error\":\"too_many_unknown_keys\"", "\"retry_after\":6");
    // Keys that are cached, remembered as unknown, or had a verdict before.
    assertThat(app.send("VALID-1").getStatus()).isEqualTo(200);
    assertThat(app.send("MADE-UP-0").getStatus()).isEqualTo(403);
    assertThat(app.send("REVOKED-1").getStatus()).isEqualTo(403);
    assertThat(app.send("MADE-UP-13", "192.0.2.2").getStatus()).isEqualTo(403);
    assertThat(app.send("VALID-2").getStatus()).isEqualTo(429);
    assertThat(server.requests).hasSize(14);
  }

  @Test
  void severalLicenseKeyHeadersAreOneKeyThatNoLicenseHas() throws Exception {
    MockHttpServletResponse refused =
        LicensedApp.against(server).send(get("/reports").header("X-License-Key", "FIRST", "VALID"), "192.0.2.1");
    assertThat(refused.getContentAsString()).contains("\"error\":\"license_not_found\"");
    assertThat(server.requests).singleElement().asString().contains("\"FIRST, VALID\"");
  }

  @Test
  void addressesOfOneIpv6NetworkShareALimit() {
    LicensedApp app = withLimit(1).against(server.url());
    assertThat(app.send("MADE-UP-1", "2001:db8::1").getStatus()).isEqualTo(403);
    assertThat(app.send("MADE-UP-2", "2001:db8::ffff").getStatus()).isEqualTo(429);
    assertThat(app.send("MADE-UP-3", "2001:db8:0:1::1").getStatus()).isEqualTo(403);
  }

  @Test
  void theLimitCanBeTurnedOff() {
    LicensedApp app = withLimit(0).against(server.url());
    for (int i = 0; i < 20; i++) assertThat(app.send("MADE-UP-" + i).getStatus()).isEqualTo(403);
  }

  @Test
  void theLimitCountsByTheAddressOfTheReader() {
    LicensedApp.Setup setup = withLimit(1);
    setup.reader =
        new LicenseRequestReader() {
          @Override
          public String address(HttpServletRequest request) {
            return key(request);
          }
        };
    LicensedApp app = setup.against(server.url());
    for (int i = 0; i < 3; i++) assertThat(app.send("MADE-UP-" + i).getStatus()).isEqualTo(403);
  }

  private static LicensedApp.Setup withLimit(int perMinute) {
    LicensedApp.Setup setup = new LicensedApp.Setup();
    setup.properties = Map.of("countersign.unknown-keys-per-minute", Integer.toString(perMinute));
    return setup;
  }

  private static List<Integer> sendAtOnce(LicensedApp app, String prefix) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(30);
    try {
      List<Future<Integer>> sent = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        String key = prefix + i;
        sent.add(threads.submit(() -> app.send(key).getStatus()));
      }
      List<Integer> statuses = new ArrayList<>();
      for (Future<Integer> one : sent) statuses.add(one.get());
      return statuses;
    } finally {
      threads.shutdownNow();
    }
  }
}
