package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example as a customer would. */
@Timeout(180)
class ExampleTest {
  private static final String KEY_PROMPT = "Please enter your license key:";
  private static final String CHECKING = "Checking your license …";
  private static final String OPENING = "Opening your notes …";
  private static final String UNLOCKED = "Unlocked. Welcome back!";
  private static final String REVOKED =
      "Locked. Your license was revoked. Please contact us if you think this is a mistake.";
  private static final String UNREACHABLE = "http://127.0.0.1:1";

  @TempDir static Path classes;
  @TempDir Path settings;

  @BeforeAll
  static void compile() {
    ExternalProgram.compile(Path.of("example/src/Notes.java"), ExternalProgram.onClassPath(classes), classes);
  }

  @Test
  void asksForTheKeyOnceAndWorksWhileTheServerIsUnreachable() throws Exception {
    Map<String, Object> started = ConformanceServer.startCase(List.of(Map.of("real", Map.of())));
    String apiKey = (String) CaseRunner.map(started.get("client")).get("api_key");
    try (ExternalProgram notes = start((String) started.get("url"), apiKey)) {
      assertEquals(KEY_PROMPT, notes.line());
      notes.type(" " + ConformanceServer.DEFAULT_KEY + " ");
      assertEquals(List.of(CHECKING, OPENING, UNLOCKED), inOrder(notes.rest()));
    }
    assertEquals(ConformanceServer.DEFAULT_KEY, Files.readString(settings.resolve("license.txt")));
    try (ExternalProgram notes = start(UNREACHABLE, apiKey)) {
      assertEquals(
          List.of(
              CHECKING,
              OPENING,
              UNLOCKED,
              "The license server is unreachable. You can keep working for now."),
          inOrder(notes.rest()));
    }
  }

  @Test
  void aRevokedLicenseIsExplainedAndNotStored() throws Exception {
    Map<String, Object> revoked = Map.of("outcome", "a revoked license is refused");
    Map<String, Object> started = ConformanceServer.startCase(List.of(Map.of("real", revoked)));
    String apiKey = (String) CaseRunner.map(started.get("client")).get("api_key");
    try (ExternalProgram notes = start((String) started.get("url"), apiKey)) {
      notes.type(ConformanceServer.DEFAULT_KEY);
      List<String> output = notes.rest();
      assertEquals(List.of(CHECKING, OPENING, REVOKED, KEY_PROMPT), inOrder(output.subList(1, output.size())));
    }
    assertFalse(Files.exists(settings.resolve("license.txt")));
  }

  @Test
  void aRejectionThatTheCustomerCanSolveLinksToThePortal() throws Exception {
    Map<String, Object> full = Map.of("outcome", "a new IP address is refused if the limit is reached");
    Map<String, Object> started = ConformanceServer.startCase(List.of(Map.of("real", full)));
    String url = (String) started.get("url");
    String apiKey = (String) CaseRunner.map(started.get("client")).get("api_key");
    try (ExternalProgram notes = start(url, apiKey)) {
      notes.type(ConformanceServer.DEFAULT_KEY);
      List<String> output = notes.rest();
      String locked =
          "Locked. Your license is already in use from the maximum number of IP addresses."
              + " You can solve this yourself: "
              + url
              + "/portal/open#"
              + ConformanceServer.DEFAULT_KEY;
      assertEquals(List.of(CHECKING, OPENING, locked, KEY_PROMPT), inOrder(output.subList(1, output.size())));
    }
  }

  @Test
  void aFirstRunWithoutTheServerHasNoVerdict() throws Exception {
    try (ExternalProgram notes = start(UNREACHABLE, "csk_test")) {
      notes.type(ConformanceServer.DEFAULT_KEY);
      List<String> output = notes.rest();
      assertEquals(
          List.of(
              CHECKING,
              OPENING,
              "Your license could not be validated. Please connect to the internet and restart the app."),
          inOrder(output.subList(1, output.size())));
    }
  }

  @Test
  void locksAndUnlocksWhileItRuns() throws Exception {
    Map<String, Object> active = Map.of("validate", Map.of());
    Map<String, Object> revoked = Map.of("validate", Map.of("valid", false, "status", "revoked"));
    Map<String, Object> started = ConformanceServer.startCase(List.of(active, active, revoked, active));
    Files.writeString(settings.resolve("license.txt"), ConformanceServer.DEFAULT_KEY + "\n");
    try (ExternalProgram notes = start((String) started.get("url"), "csk_test")) {
      assertEquals(List.of(CHECKING, OPENING, UNLOCKED), inOrder(List.of(notes.line(), notes.line(), notes.line())));
      assertEquals(REVOKED, notes.line());
      assertEquals(UNLOCKED, notes.line());
      assertEquals(List.of(), notes.rest());
    }
  }

  /** The server may respond before the window opens. */
  private static List<String> inOrder(List<String> output) {
    List<String> lines = new ArrayList<>(output);
    if (lines.remove(OPENING)) lines.add(1, OPENING);
    return lines;
  }

  private ExternalProgram start(String url, String apiKey) throws IOException {
    return ExternalProgram.start(
        "Notes",
        ExternalProgram.onClassPath(classes),
        Map.of(
            "COUNTERSIGN_URL", url,
            "COUNTERSIGN_API_KEY", apiKey,
            "NOTES_FOLDER", settings.toString(),
            "NOTES_CHECK_SECONDS", "1"));
  }
}
