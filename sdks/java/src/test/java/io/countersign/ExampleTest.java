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

/** The example, started as a customer starts it. */
@Timeout(180)
class ExampleTest {
  private static final String ASKING = "Please enter your license key:";
  private static final String CHECKING = "Checking your license …";
  private static final String OPENING = "Opening your notes …";
  private static final String UNLOCKED = "Unlocked. Welcome back!";
  private static final String REVOKED =
      "Locked. Your license was withdrawn. Please write to us if that surprises you.";
  private static final String AWAY = "http://127.0.0.1:1";

  @TempDir static Path classes;
  @TempDir Path settings;

  @BeforeAll
  static void compile() {
    Program.compile(Path.of("example/src/Notes.java"), Program.onClassPath(classes), classes);
  }

  @Test
  void asksOnceThenRunsAlsoWhileTheServerIsAway() throws Exception {
    Map<String, Object> armed = TestServer.arm(List.of(Map.of("real", Map.of())));
    String apiKey = (String) Scene.map(armed.get("client")).get("api_key");
    try (Program notes = start((String) armed.get("url"), apiKey)) {
      assertEquals(ASKING, notes.line());
      notes.type(" " + TestServer.USUAL_KEY + " ");
      assertEquals(List.of(CHECKING, OPENING, UNLOCKED), inOrder(notes.rest()));
    }
    assertEquals(TestServer.USUAL_KEY, Files.readString(settings.resolve("license.txt")));
    try (Program notes = start(AWAY, apiKey)) {
      assertEquals(
          List.of(
              CHECKING,
              OPENING,
              UNLOCKED,
              "The license server cannot be reached. You can go on working for now."),
          inOrder(notes.rest()));
    }
  }

  @Test
  void aRevokedLicenseIsExplainedAndNotKept() throws Exception {
    Map<String, Object> revoked = Map.of("outcome", "a revoked license is refused");
    Map<String, Object> armed = TestServer.arm(List.of(Map.of("real", revoked)));
    String apiKey = (String) Scene.map(armed.get("client")).get("api_key");
    try (Program notes = start((String) armed.get("url"), apiKey)) {
      notes.type(TestServer.USUAL_KEY);
      List<String> said = notes.rest();
      assertEquals(List.of(CHECKING, OPENING, REVOKED, ASKING), inOrder(said.subList(1, said.size())));
    }
    assertFalse(Files.exists(settings.resolve("license.txt")));
  }

  @Test
  void neverUsedAndTheServerAway() throws Exception {
    try (Program notes = start(AWAY, "csk_test")) {
      notes.type(TestServer.USUAL_KEY);
      List<String> said = notes.rest();
      assertEquals(
          List.of(
              CHECKING,
              OPENING,
              "Your license could not be checked. Please connect to the internet and start the app again."),
          inOrder(said.subList(1, said.size())));
    }
  }

  @Test
  void locksAndUnlocksWhileItRuns() throws Exception {
    Map<String, Object> active = Map.of("validate", Map.of());
    Map<String, Object> revoked = Map.of("validate", Map.of("valid", false, "status", "revoked"));
    Map<String, Object> armed = TestServer.arm(List.of(active, active, revoked, active));
    Files.writeString(settings.resolve("license.txt"), TestServer.USUAL_KEY + "\n");
    try (Program notes = start((String) armed.get("url"), "csk_test")) {
      assertEquals(List.of(CHECKING, OPENING, UNLOCKED), inOrder(List.of(notes.line(), notes.line(), notes.line())));
      assertEquals(REVOKED, notes.line());
      assertEquals(UNLOCKED, notes.line());
      assertEquals(List.of(), notes.rest());
    }
  }

  /** The server may answer before the window is open. */
  private static List<String> inOrder(List<String> said) {
    List<String> lines = new ArrayList<>(said);
    if (lines.remove(OPENING)) lines.add(1, OPENING);
    return lines;
  }

  private Program start(String url, String apiKey) throws IOException {
    return Program.start(
        "Notes",
        Program.onClassPath(classes),
        Map.of(
            "COUNTERSIGN_URL", url,
            "COUNTERSIGN_API_KEY", apiKey,
            "NOTES_FOLDER", settings.toString(),
            "NOTES_CHECK_SECONDS", "1"));
  }
}
