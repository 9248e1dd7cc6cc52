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

/** Compiles and runs the snippets of the dashboard and the README against a real server. */
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
  void aValidLicenseIsReported() throws Exception {
    Map<String, Object> started = startRealCase(Map.of());
    assertEquals(List.of("Licensed."), output("Licensed.java", started, ExternalProgram.onClassPath(folder)));
    Map<String, Object> request = CaseRunner.map(ConformanceServer.requests(url(started)).get(0));
    Map<String, Object> body = Json.object((String) request.get("body"));
    assertEquals(Map.of("license_key", ConformanceServer.DEFAULT_KEY, "version", "1.0.0"), body);
  }

  @Test
  void aRevokedLicenseIsReported() throws Exception {
    Map<String, Object> started = startRealCase(Map.of("outcome", "a revoked license is refused"));
    assertEquals(
        List.of("Not licensed: revoked"), output("Licensed.java", started, ExternalProgram.onClassPath(folder)));
  }

  @Test
  void aSignedResponseIsAcceptedWithTheSdkAsAModule() throws Exception {
    Map<String, Object> signed = Map.of("product", Map.of("signed_validation", 1));
    Map<String, Object> started = startRealCase(Map.of("signing", "current", "outcome", signed));
    assertEquals(List.of("Licensed."), output("signed/Licensed.java", started, ExternalProgram.onModulePath(folder)));
  }

  @Test
  void aSignatureWithAnotherSecretIsRejected() throws Exception {
    Map<String, Object> signed = Map.of("product", Map.of("signed_validation", 1));
    Map<String, Object> started = startRealCase(Map.of("signing", "wrong", "outcome", signed));
    ExternalProgram.compile(filledIn("signed/Licensed.java", started), ExternalProgram.onClassPath(folder), folder);
    List<String> options = ExternalProgram.onClassPath(folder);
    try (ExternalProgram program = ExternalProgram.start("Licensed", options, environment(started))) {
      String line = program.line();
      assertTrue(line.contains("io.countersign.SignatureException") && line.contains("mismatch"), line);
    }
  }

  private static Map<String, Object> startRealCase(Map<String, Object> setup) {
    return ConformanceServer.startCase(List.of(Map.of("real", setup)));
  }

  private List<String> output(String name, Map<String, Object> started, List<String> options) throws Exception {
    ExternalProgram.compile(filledIn(name, started), options, folder);
    try (ExternalProgram program = ExternalProgram.start("Licensed", options, environment(started))) {
      return program.rest();
    }
  }

  /** The snippet with the URL and the product ID of the test. */
  private Path filledIn(String name, Map<String, Object> started) throws IOException {
    String text = Files.readString(SNIPPETS.resolve(name));
    assertTrue(text.contains("\"https://licenses.example.com\""));
    text = text.replace("https://licenses.example.com", url(started));
    Map<String, Object> client = CaseRunner.map(started.get("client"));
    if (client.containsKey("signing")) {
      assertTrue(text.contains("\"PRODUCT-ID\""));
      text = text.replace("PRODUCT-ID", (String) CaseRunner.map(client.get("signing")).get("product_id"));
    }
    return Files.writeString(folder.resolve("Licensed.java"), text);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, String> environment(Map<String, Object> started) {
    Map<String, Object> client = CaseRunner.map(started.get("client"));
    Map<String, String> environment = new HashMap<>();
    environment.put("COUNTERSIGN_API_KEY", (String) client.get("api_key"));
    environment.put("LICENSE_KEY", ConformanceServer.DEFAULT_KEY);
    if (client.containsKey("signing")) {
      List<String> secrets = (List<String>) CaseRunner.map(client.get("signing")).get("secrets");
      environment.put("COUNTERSIGN_SIGNING_SECRETS", String.join(",", secrets));
    }
    return environment;
  }

  private static String url(Map<String, Object> started) {
    return (String) started.get("url");
  }
}
