package io.countersign.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletResponse;

/** Who is let in, and what the others get. */
class RefusalTest {
  private final PlayedCountersign server = new PlayedCountersign();

  @AfterEach
  void close() {
    server.close();
  }

  record Case(String name, PlayedCountersign.Failure failure, String key, int status, Map<String, Object> body) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> cases() {
    Map<String, Object> misconfigured = Map.of("error", "license_misconfigured", "request_id", "req_1");
    String active = "{\"valid\":true,\"status\":\"active\"}";
    return List.of(
        new Case("no key", null, null, 401, Map.of("error", "license_missing")),
        new Case("an empty key", null, " \u00a0\t", 401, Map.of("error", "license_missing")),
        new Case("a revoked license", null, "REVOKED", 403, Map.of("error", "revoked", "request_id", "req_1")),
        new Case("an unknown key", null, "NO", 403, Map.of("error", "license_not_found", "request_id", "req_1")),
        new Case("an impossible key", null, "X".repeat(65), 403, Map.of("error", "license_not_found")),
        new Case("a wrong API key", PlayedCountersign.WRONG_API_KEY, "VALID", 500, misconfigured),
        new Case("the sandbox", failure(200, Map.of("X-Countersign-Sandbox", "true"), active), "VALID", 500, misconfigured),
        new Case("the daily limit", failure(429, Map.of("Retry-After", "77"), "{\"status\":\"rate_limit_exceeded\"}"), "VALID", 503, unverified(77)),
        new Case("a restart", failure(503, Map.of("Retry-After", "33"), "{}"), "VALID", 503, unverified(33)),
        new Case("a failing server", failure(500, Map.of(), "{}"), "VALID", 503, unverified(0)));
  }

  private static PlayedCountersign.Failure failure(int status, Map<String, String> headers, String body) {
    return new PlayedCountersign.Failure(status, headers, body);
  }

  private static Map<String, Object> unverified(int retryAfter) {
    Map<String, Object> body = new LinkedHashMap<>(Map.of("error", "license_unverified", "request_id", "req_1"));
    if (retryAfter > 0) body.put("retry_after", retryAfter);
    return body;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyRefusalHasTheResponseOfTheTable(Case given) throws Exception {
    server.failure = given.failure();
    MockHttpServletResponse response = LicensedApp.against(server).send(given.key());
    Map<?, ?> body = new ObjectMapper().readValue(response.getContentAsByteArray(), Map.class);
    assertThat(body.remove("message")).isInstanceOf(String.class);
    assertThat(response.getStatus()).isEqualTo(given.status());
    assertThat(body).isEqualTo(given.body());
    Object retryAfter = given.body().get("retry_after");
    assertThat(response.getHeader("Retry-After")).isEqualTo(retryAfter == null ? null : retryAfter.toString());
    assertThat(response.getContentType()).isEqualTo("application/json");
  }

  @Test
  void anUnreachableServerIsNoVerdict() {
    LicensedApp app = new LicensedApp.Setup().against("http://127.0.0.1:9");
    assertThat(app.send("VALID").getStatus()).isEqualTo(503);
  }

  @Test
  void aValidLicenseIsLetInAndReadable() throws Exception {
    LicensedApp app = LicensedApp.against(server);
    assertThat(app.send("VALID").getContentAsString()).isEqualTo("VALID SERVER");
    assertThat(app.send("VALID").getContentAsString()).isEqualTo("VALID CACHE");
    assertThat(server.requests).hasSize(1);
  }

  @Test
  void advisoryModeLetsRequestsInWithoutAVerdict() throws Exception {
    server.failure = failure(500, Map.of(), "{}");
    LicensedApp.Setup setup = new LicensedApp.Setup();
    setup.client = builder -> builder.advisory();
    assertThat(setup.against(server.url()).send("VALID").getContentAsString()).isEqualTo("VALID null");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/reports", "/versioned", "/class", "/derived/open", "/inherited/licensed"})
  void theNearestAnnotationRequiresALicense(String path) {
    assertThat(LicensedApp.against(server).send(get(path), "192.0.2.1").getStatus()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/plain", "/open", "/class/terms"})
  void otherHandlersRequireNone(String path) {
    assertThat(LicensedApp.against(server).send(get(path), "192.0.2.1").getStatus()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "version", "deviceId", "address"})
  void aReaderThatThrowsLetsNobodyIn(String method) {
    LicensedApp.Setup setup = new LicensedApp.Setup();
    setup.reader =
        new LicenseRequestReader() {
          @Override
          public String key(HttpServletRequest request) {
            return or("key", LicenseRequestReader.super.key(request));
          }

          @Override
          public String version(HttpServletRequest request) {
            return or("version", null);
          }

          @Override
          public String deviceId(HttpServletRequest request) {
            return or("deviceId", null);
          }

          @Override
          public String address(HttpServletRequest request) {
            return or("address", "192.0.2.1");
          }

          private String or(String name, String value) {
            if (name.equals(method)) throw new IllegalStateException("no such session");
            return value;
          }
        };
    // Without a server, MockMvc throws what Spring Boot turns into 500.
    assertThatThrownBy(() -> setup.against(server.url()).send("VALID")).rootCause().hasMessage("no such session");
    assertThat(server.requests).isEmpty();
  }

  @Test
  void aRefusalHandlerSendsTheResponseAndKnowsTheCause() {
    server.failure = PlayedCountersign.WRONG_API_KEY;
    AtomicReference<Refusal> seen = new AtomicReference<>();
    LicensedApp.Setup setup = new LicensedApp.Setup();
    setup.refusals =
        (refusal, request, response) -> {
          seen.set(refusal);
          assertThat(License.of(request)).contains(refusal.license());
          response.setStatus(418);
        };
    assertThat(setup.against(server.url()).send("VALID").getStatus()).isEqualTo(418);
    assertThat(seen.get().license().problem()).get().isInstanceOf(io.countersign.AuthenticationException.class);
    assertThat(seen.get().toString()).doesNotContain("VALID");
  }

  @Test
  void aRefusalHandlerThatThrowsLetsNobodyIn() {
    LicensedApp.Setup setup = new LicensedApp.Setup();
    setup.refusals =
        (refusal, request, response) -> {
          throw new IllegalStateException("no such template");
        };
    assertThatThrownBy(() -> setup.against(server.url()).send(null)).rootCause().hasMessage("no such template");
  }
}
