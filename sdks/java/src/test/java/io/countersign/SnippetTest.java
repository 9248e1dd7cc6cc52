package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The few lines that the dashboard and the README show, compiled and run against a real server. */
@Timeout(120)
class SnippetTest {
  private static final Path SNIPPETS = Path.of("../snippets");

  @TempDir Path folder;

  @Test
  void theReadmeShowsTheSnippet() throws IOException {
    String snippet = Files.readString(SNIPPETS.resolve("Licensed.java"));
    assertTrue(Files.readString(Path.of("README.md")).contains("```java\n" + snippet + "```\n"));
  }

  @Test
  void aValidLicense() throws Exception {
    Map<String, Object> armed = real(Map.of());
    assertEquals(List.of("Licensed."), output("Licensed.java", armed, Program.onClassPath(folder)));
    Map<String, Object> body = Json.object((String) Scene.map(TestServer.requests(url(armed)).get(0)).get("body"));
    assertEquals(Map.of("license_key", TestServer.USUAL_KEY, "version", "1.0.0"), body);
  }

  @Test
  void aRevokedLicense() throws Exception {
    Map<String, Object> armed = real(Map.of("outcome", "a revoked license is refused"));
    assertEquals(List.of("Not licensed: revoked"), output("Licensed.java", armed, Program.onClassPath(folder)));
  }

  @Test
  void aValidLicenseSignedWithTheSdkAsAModule() throws Exception {
    Map<String, Object> signs = Map.of("product", Map.of("signed_validation", 1));
    Map<String, Object> armed = real(Map.of("signing", "current", "outcome", signs));
    assertEquals(List.of("Licensed."), output("signed/Licensed.java", armed, Program.onModulePath(folder)));
  }

  @Test
  void aSignatureByAnotherSecret() throws Exception {
    Map<String, Object> signs = Map.of("product", Map.of("signed_validation", 1));
    Map<String, Object> armed = real(Map.of("signing", "wrong", "outcome", signs));
    Program.compile(changed("signed/Licensed.java", armed), Program.onClassPath(folder), folder);
    try (Program program = Program.start("Licensed", Program.onClassPath(folder), environment(armed))) {
      String said = program.line();
      assertTrue(said.contains("io.countersign.SignatureException") && said.contains("mismatch"), said);
    }
  }

  private static Map<String, Object> real(Map<String, Object> arrangement) {
    return TestServer.arm(List.of(Map.of("real", arrangement)));
  }

  private List<String> output(String name, Map<String, Object> armed, List<String> options) throws Exception {
    Program.compile(changed(name, armed), options, folder);
    try (Program program = Program.start("Licensed", options, environment(armed))) {
      return program.rest();
    }
  }

  /** The snippet with the test's server and product in the places where readers put theirs. */
  private Path changed(String name, Map<String, Object> armed) throws IOException {
    String text = Files.readString(SNIPPETS.resolve(name));
    assertTrue(text.contains("\"https://licenses.example.com\""));
    text = text.replace("https://licenses.example.com", url(armed));
    Map<String, Object> client = Scene.map(armed.get("client"));
    if (client.containsKey("signing")) {
      assertTrue(text.contains("\"PRODUCT-ID\""));
      text = text.replace("PRODUCT-ID", (String) Scene.map(client.get("signing")).get("product_id"));
    }
    return Files.writeString(folder.resolve("Licensed.java"), text);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, String> environment(Map<String, Object> armed) {
    Map<String, Object> client = Scene.map(armed.get("client"));
    Map<String, String> environment = new HashMap<>();
    environment.put("COUNTERSIGN_API_KEY", (String) client.get("api_key"));
    environment.put("LICENSE_KEY", TestServer.USUAL_KEY);
    if (client.containsKey("signing")) {
      List<String> secrets = (List<String>) Scene.map(client.get("signing")).get("secrets");
      environment.put("COUNTERSIGN_SIGNING_SECRETS", String.join(",", secrets));
    }
    return environment;
  }

  private static String url(Map<String, Object> armed) {
    return (String) armed.get("url");
  }
}
