package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every case of ../conformance, against the server that plays them. */
class ConformanceTest {
  private static final Path FOLDER = Path.of("../conformance");
  private static Process server;
  private static String serverUrl;

  @BeforeAll
  static void start() throws IOException {
    String bun = System.getenv().getOrDefault("COUNTERSIGN_BUN", "bun");
    server =
        new ProcessBuilder(bun, FOLDER.resolve("server.ts").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    serverUrl = new BufferedReader(new InputStreamReader(server.getInputStream(), UTF_8)).readLine();
  }

  @AfterAll
  static void stop() throws IOException, InterruptedException {
    server.getOutputStream().close();
    server.waitFor();
  }

  @Test
  void thereAreCases() throws IOException {
    assertTrue(cases("cases").size() > 100);
    assertTrue(cases("webhooks").size() > 10);
  }

  @TestFactory
  Stream<DynamicTest> blocking() throws IOException {
    return cases("cases").stream()
        .map(one -> DynamicTest.dynamicTest(name(one), () -> Scene.play(serverUrl, one, false)));
  }

  @TestFactory
  Stream<DynamicTest> futures() throws IOException {
    return cases("cases").stream()
        .map(one -> DynamicTest.dynamicTest(name(one), () -> Scene.play(serverUrl, one, true)));
  }

  @TestFactory
  Stream<DynamicTest> webhooks() throws IOException {
    return cases("webhooks").stream().map(one -> DynamicTest.dynamicTest(name(one), () -> checkWebhook(one)));
  }

  @SuppressWarnings("unchecked")
  private static void checkWebhook(Map<String, Object> one) {
    Scene.known(one, "file", "name", "now", "secrets", "headers", "body", "body_is_parsed", "expect");
    long nowMillis = java.time.Instant.parse((String) one.get("now")).toEpochMilli();
    Webhooks webhooks = Webhooks.with((List<String>) one.get("secrets"), () -> nowMillis);
    byte[] body = one.get("body_is_parsed") == Boolean.TRUE ? null : ((String) one.get("body")).getBytes(UTF_8);
    Map<String, Object> said = new LinkedHashMap<>();
    try {
      WebhookEvent event = webhooks.verify(body, (Map<String, String>) one.get("headers"));
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("id", event.id());
      fields.put("type", event.type());
      fields.put("timestamp", Scene.text(event.timestamp()));
      fields.put("data", event.data());
      said.put("event", fields);
    } catch (WebhookException problem) {
      said.put("error", Map.of("kind", "webhook", "reason", problem.reason()));
    }
    assertEquals(one.get("expect"), said);
  }

  private static String name(Map<String, Object> one) {
    return one.get("file") + ": " + one.get("name");
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> cases(String kind) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(FOLDER)) {
      files = all.filter(path -> path.toString().endsWith(".json")).sorted().collect(Collectors.toList());
    }
    List<Map<String, Object>> found = new ArrayList<>();
    for (Path file : files) {
      Map<String, Object> content = Json.object(Files.readString(file));
      Scene.known(content, "about", "cases", "webhooks");
      for (Object one : (List<?>) content.getOrDefault(kind, List.of())) {
        Map<String, Object> named = new LinkedHashMap<>((Map<String, Object>) one);
        named.put("file", file.getFileName().toString());
        found.add(named);
      }
    }
    return found;
  }
}
