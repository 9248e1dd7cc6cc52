package io.countersign.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.countersign.Countersign;
import io.countersign.SignedWebhook;
import io.countersign.Webhooks;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The auto-configuration, in an app with a real web server. */
@Timeout(120)
class StarterTest {
  private static final String[] VALID = {"X-License-Key", "VALID"};

  private static PlayedCountersign server;
  private static StartedApp app;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({LicensedApp.Controller.class, LicensedApp.LicensedController.class})
  static class App {}

  @Configuration(proxyBeanMethods = false)
  static class OwnClient {
    @Bean
    Countersign own() {
      return Countersign.builder().apiKey("csk_own").baseUrl("http://127.0.0.1:9").build();
    }
  }

  @BeforeAll
  static void start() {
    server = new PlayedCountersign();
    SpringApplication.run(
        App.class,
        StartedApp.withDefaults(
            "countersign.api-key=csk_test",
            "countersign.base-url=" + server.url(),
            "countersign.required=true",
            "countersign.skip-paths=/open,/favicon.ico",
            "countersign.webhook-secret=" + LicensedApp.SECRET));
    app = new StartedApp();
  }

  @AfterAll
  static void stop() {
    app.close();
    server.close();
  }

  @Test
  void everyHandlerRequiresALicenseUnlessItIsSkipped() throws Exception {
    for (String path : new String[] {"/reports", "/plain", "/versioned", "/class", "/no-such-page"}) {
      HttpResponse<String> refused = app.get(path);
      assertThat(refused.statusCode()).as(path).isEqualTo(401);
      assertThat(refused.body()).isEqualTo(
          "{\"error\":\"license_missing\",\"message\":\"This request requires a license key.\"}");
    }
    assertThat(app.get("/class", VALID).body()).isEqualTo("in");
    assertThat(app.get("/no-such-page", VALID).statusCode()).isEqualTo(404);
    assertThat(app.get("/class/terms").body()).isEqualTo("in");
    assertThat(app.get("/open").body()).isEqualTo("in");
  }

  @Test
  void aPreflightRequestNeedsNoKey() throws Exception {
    // Spring itself rejects it, because the app allows no other origin.
    HttpResponse<String> preflight =
        app.send("OPTIONS", "/reports", "Origin", "https://a.example", "Access-Control-Request-Method", "GET");
    assertThat(preflight.body()).isEqualTo("Invalid CORS request");
    assertThat(app.send("OPTIONS", "/reports").statusCode()).isEqualTo(401);
  }

  @Test
  void aControllerReadsTheLicense() throws Exception {
    assertThat(app.get("/reports", "X-License-Key", "VALID-3").body()).isEqualTo("VALID-3 SERVER");
  }

  @Test
  void theVersionOfAnAnnotationIsSent() throws Exception {
    assertThat(app.get("/versioned", "X-License-Key", "VALID-4").body()).isEqualTo("in");
    assertThat(server.requests).anyMatch(body -> body.contains("VALID-4") && body.contains("\"version\":\"2.0.0\""));
  }

  @Test
  void deliveriesAreVerifiedFromTheRawBody() throws Exception {
    SignedWebhook signed = Webhooks.sign(Map.of("type", "license.revoked", "data", Map.of("n", 1)), LicensedApp.SECRET);
    LicensedApp.Controller controller = app.context().getBean(LicensedApp.Controller.class);
    assertThat(app.post("/hook", signed.bytes(), signed.headers()).statusCode()).isEqualTo(200);
    assertThat(controller.events).hasSize(1);
    HttpResponse<String> changed = app.post("/hook", "{}".getBytes(), signed.headers());
    assertThat(changed.statusCode()).isEqualTo(400);
    assertThat(changed.body()).startsWith("{\"error\":\"mismatch\",\"message\":");
    assertThat(app.post("/hook", new byte[0], Map.of()).body()).startsWith("{\"error\":\"missing_header\"");
    HttpResponse<String> large = app.post("/hook", new byte[300_000], Map.of("content-type", "application/json"));
    assertThat(large.statusCode()).isEqualTo(413);
    // A form is read by the server itself.
    Map<String, String> form = Map.of("content-type", "application/x-www-form-urlencoded");
    assertThat(app.post("/hook?a=1", "b=2".getBytes(), form).statusCode()).isBetween(400, 500);
    SignedWebhook failing = Webhooks.sign(Map.of("type", "fails", "data", Map.of()), LicensedApp.SECRET);
    assertThat(app.post("/hook", failing.bytes(), failing.headers()).statusCode()).isEqualTo(500);
    assertThat(controller.events).hasSize(1);
  }

  @Test
  void theUserAgentNamesTheStarter() throws Exception {
    assertThat(app.get("/class", "X-License-Key", "VALID-5").statusCode()).isEqualTo(200);
    assertThat(server.userAgents).allMatch(agent -> agent.contains("countersign-spring-boot/" + StarterVersion.VERSION));
    assertThat(Files.readString(Path.of("pom.xml"))).contains("<version>" + StarterVersion.VERSION + "</version>");
  }

  @Test
  void anAppCanHaveItsOwnClient() {
    runner()
        .withUserConfiguration(OwnClient.class)
        .run(context -> assertThat(context).hasSingleBean(Countersign.class).hasBean("own"));
  }

  @Test
  void aMistakeInThePropertiesEndsTheStart() {
    runner()
        .withPropertyValues("countersign.api-key=has spaces")
        .run(context -> assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("apiKey"));
    assertThatThrownBy(() -> LicensedApp.propertiesOf(Map.of("countersign.unknown-keys-per-minute", "-1")))
        .rootCause()
        .hasMessageContaining("countersign.unknown-keys-per-minute");
  }

  @Test
  void theSandboxIsRefusedUnlessItIsAllowed() {
    assertThat(LicensedApp.propertiesOf(Map.of()).allowSandbox()).isFalse();
    assertThat(LicensedApp.propertiesOf(Map.of("countersign.allow-sandbox", "true")).allowSandbox()).isTrue();
  }

  @Test
  void theTextOfThePropertiesHasNoSecrets() {
    String text = LicensedApp.propertiesOf(
            Map.of("countersign.api-key", "csk_secret", "countersign.webhook-secret", "whsec_secret"))
        .toString();
    assertThat(text).doesNotContain("secret");
  }

  @Test
  void thePropertiesAreDocumented() throws Exception {
    String metadata = new String(
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json").readAllBytes());
    assertThat(metadata).contains("countersign.unknown-keys-per-minute", "How many unknown keys each IP address");
  }

  private static ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(CountersignAutoConfiguration.class))
        .withPropertyValues("countersign.base-url=http://127.0.0.1:9");
  }
}
