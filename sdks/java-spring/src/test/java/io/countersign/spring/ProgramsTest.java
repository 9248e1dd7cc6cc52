package io.countersign.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.countersign.SignedWebhook;
import io.countersign.Webhooks;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compiles and runs the snippets of the dashboard and the README, and the example, against a real server. */
@Timeout(120)
class ProgramsTest {
  private static final Path SNIPPETS = Path.of("../snippets");
  private static RealServer server;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    server = new RealServer();
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Test
  void theReadmeAndThePageShowTheSnippet() throws Exception {
    String snippet = Files.readString(SNIPPETS.resolve("LicensedApplication.java"));
    for (String file : new String[] {"README.md", "../../docs/sdks/java.md"})
      assertThat(Files.readString(Path.of(file))).contains("```java\n" + snippet + "```\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "LicensedApplication.java        | {}                                                  | 200",
        "LicensedApplication.java        | {\"outcome\":\"a revoked license is refused\"}      | 403",
        "signed/LicensedApplication.java | {\"signing\":\"current\",\"outcome\":{\"product\":{\"signed_validation\":1}}} | 200",
        "signed/LicensedApplication.java | {\"signing\":\"wrong\",\"outcome\":{\"product\":{\"signed_validation\":1}}}   | 503",
      })
  void aSnippetServesLicensedRequests(String file, String answer, int status) throws Exception {
    JsonNode started = server.start(answer);
    String text = Files.readString(SNIPPETS.resolve(file));
    assertThat(text).contains("https://license.example.com");
    text = text.replace("https://license.example.com", started.path("url").asText());
    JsonNode signing = started.path("client").path("signing");
    text = text.replace("PRODUCT-ID", signing.path("product_id").asText());
    Path source = Files.writeString(folder.resolve("LicensedApplication.java"), text);
    List<String> properties = new ArrayList<>(List.of(apiKey(started)));
    List<String> secrets = new ArrayList<>();
    signing.path("secrets").forEach(secret -> secrets.add(secret.asText()));
    if (!secrets.isEmpty()) properties.add("countersign.signing.secrets=" + String.join(",", secrets));
    String[] all = properties.toArray(String[]::new);
    try (StartedApp app = StartedApp.compiledFrom(source, folder, "com.example.LicensedApplication", all)) {
      HttpResponse<String> response = app.get("/reports", "X-License-Key", RealServer.KEY);
      assertThat(response.statusCode()).isEqualTo(status);
      if (status == 200) assertThat(response.body()).isEqualTo("Licensed.");
      assertThat(app.get("/reports").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void theExampleLinksToThePortalAndReceivesWebhooks() throws Exception {
    JsonNode started = server.start("{\"outcome\":\"a new IP address is refused if the limit is reached\"}");
    String url = started.path("url").asText();
    try (StartedApp app =
        StartedApp.compiledFrom(
            Path.of("example/src/ReportService.java"),
            folder,
            "com.example.reports.ReportService",
            apiKey(started),
            "countersign.base-url=" + url,
            "countersign.webhook-secret=" + LicensedApp.SECRET)) {
      assertThat(app.get("/").statusCode()).isEqualTo(200);
      assertThat(app.get("/reports").statusCode()).isEqualTo(401);
      HttpResponse<String> refused = app.get("/reports", "X-License-Key", RealServer.KEY);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).contains(url + "/portal/open#" + RealServer.KEY);
      Map<String, Object> event = Map.of("type", "license.revoked", "data", Map.of());
      SignedWebhook signed = Webhooks.sign(event, LicensedApp.SECRET);
      assertThat(app.post("/countersign", signed.bytes(), signed.headers()).statusCode()).isEqualTo(204);
    }
  }

  private static String apiKey(JsonNode started) {
    return "countersign.api-key=" + started.path("client").path("api_key").asText();
  }
}
