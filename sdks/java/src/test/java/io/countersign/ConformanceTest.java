package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Runs every case of ../conformance against the conformance server. */
class ConformanceTest {
  private static final Map<String, Object> SUITE = ConformanceServer.suite();

  @Test
  void everyPartOfTheSuiteRunsHere() {
    assertTrue(SUITE.size() > 15);
    for (Object file : SUITE.values())
      CaseRunner.requireKnown(
          CaseRunner.map(file), "about", "cases", "webhooks", "portal_urls", "device_ids", "signed_webhooks");
    assertTrue(cases("cases").size() > 250);
    assertTrue(cases("webhooks").size() > 30);
    assertTrue(cases("portal_urls").size() > 30);
    assertTrue(cases("device_ids").size() > 10);
    assertTrue(cases("signed_webhooks").size() > 2);
  }

  @Test
  void noTwoCasesHaveTheSameName() {
    List<String> names =
        Stream.of("cases", "webhooks", "portal_urls", "device_ids", "signed_webhooks")
            .flatMap(kind -> cases(kind).stream())
            .map(ConformanceTest::name)
            .collect(Collectors.toList());
    Set<String> seen = new HashSet<>();
    assertEquals(List.of(), names.stream().filter(name -> !seen.add(name)).collect(Collectors.toList()));
  }

  @TestFactory
  Stream<DynamicTest> blocking() {
    return cases("cases").stream()
        .map(one -> DynamicTest.dynamicTest(name(one), () -> CaseRunner.run(one, false)));
  }

  /** Without the live variants of written cases: only where the same response comes from is different there. */
  @TestFactory
  Stream<DynamicTest> futures() {
    return cases("cases").stream()
        .filter(one -> !((String) one.get("file")).startsWith("live variants of "))
        .map(one -> DynamicTest.dynamicTest(name(one), () -> CaseRunner.run(one, true)));
  }

  @TestFactory
  Stream<DynamicTest> webhooks() {
    return cases("webhooks").stream()
        .map(one -> DynamicTest.dynamicTest(name(one), () -> checkWebhook(one)));
  }

  @TestFactory
  Stream<DynamicTest> portalUrls() {
    return cases("portal_urls").stream()
        .map(one -> DynamicTest.dynamicTest(name(one), () -> checkPortalUrl(one)));
  }

  @TestFactory
  Stream<DynamicTest> deviceIds() {
    return cases("device_ids").stream()
        .map(one -> DynamicTest.dynamicTest(name(one), () -> checkDeviceId(one)));
  }

  @TestFactory
  Stream<DynamicTest> signedWebhooks() {
    return cases("signed_webhooks").stream()
        .map(one -> DynamicTest.dynamicTest(name(one), () -> checkSignedWebhook(one)));
  }

  @SuppressWarnings("unchecked")
  private static void checkDeviceId(Map<String, Object> one) {
    CaseRunner.requireKnown(
        one, "file", "name", "app", "machine_ids", "hostname", "environment", "override", "expect");
    String actual =
        DeviceId.of(
            (String) one.get("app"),
            (String) one.get("override"),
            (String) one.get("environment"),
            () -> (List<String>) one.get("machine_ids"),
            () -> (String) one.get("hostname"));
    assertEquals(one.get("expect"), Map.of("device_id", actual));
  }

  private static void checkSignedWebhook(Map<String, Object> one) {
    CaseRunner.requireKnown(one, "file", "name", "secret", "id", "timestamp", "body", "expect");
    Instant time = Instant.ofEpochSecond(((Number) one.get("timestamp")).longValue());
    String secret = (String) one.get("secret");
    SignedWebhook signed = Webhooks.sign((String) one.get("body"), secret, (String) one.get("id"), time);
    Map<String, Object> expected = CaseRunner.map(CaseRunner.map(one.get("expect")).get("headers"));
    expected.forEach((name, value) -> assertEquals(value, signed.headers().get(name), name));
    assertEquals(one.get("body"), signed.body());
    Webhooks.with(List.of(secret), time::toEpochMilli).verify(signed.bytes(), signed.headers());
  }

  private static void checkPortalUrl(Map<String, Object> one) {
    CaseRunner.requireKnown(one, "file", "name", "base_url", "license_key", "expect");
    Countersign client =
        Countersign.builder().apiKey("csk_test").baseUrl((String) one.get("base_url")).build();
    Map<String, Object> actual = new LinkedHashMap<>();
    try {
      String url = client.portalUrl((String) one.get("license_key"));
      // Desktop.browse takes a URI.
      assertEquals(url, URI.create(url).toString());
      actual.put("url", url);
    } catch (IllegalArgumentException wrong) {
      assertEquals("licenseKey must be a license key that is not empty.", wrong.getMessage());
      actual.put("error", Map.of("kind", "invalid_argument"));
    }
    assertEquals(one.get("expect"), actual);
  }

  @SuppressWarnings("unchecked")
  private static void checkWebhook(Map<String, Object> one) {
    CaseRunner.requireKnown(one, "file", "name", "now", "secrets", "headers", "body", "body_is_parsed", "expect");
    long nowMillis = Instant.parse((String) one.get("now")).toEpochMilli();
    Webhooks webhooks = Webhooks.with((List<String>) one.get("secrets"), () -> nowMillis);
    byte[] body = one.get("body_is_parsed") == Boolean.TRUE ? null : ((String) one.get("body")).getBytes(UTF_8);
    Map<String, Object> actual = new LinkedHashMap<>();
    try {
      WebhookEvent event = webhooks.verify(body, (Map<String, String>) one.get("headers"));
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("id", event.id());
      fields.put("type", event.type());
      fields.put("timestamp", CaseFields.text(event.timestamp()));
      fields.put("data", event.data());
      actual.put("event", fields);
    } catch (WebhookException problem) {
      actual.put("error", Map.of("kind", "webhook", "reason", problem.reason()));
    }
    assertEquals(one.get("expect"), actual);
  }

  private static String name(Map<String, Object> one) {
    return one.get("file") + ": " + one.get("name");
  }

  private static List<Map<String, Object>> cases(String kind) {
    List<Map<String, Object>> found = new ArrayList<>();
    SUITE.forEach(
        (file, content) -> {
          for (Object one : (List<?>) CaseRunner.map(content).getOrDefault(kind, List.of())) {
            Map<String, Object> named = new LinkedHashMap<>(CaseRunner.map(one));
            named.put("file", file);
            found.add(named);
          }
        });
    return found;
  }
}
