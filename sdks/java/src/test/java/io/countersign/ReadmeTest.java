package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles all code of the README and of the page about Java without warnings, and runs it against a real server. */
@Timeout(180)
class ReadmeTest {
  /** What the fragments use without declaring it. */
  private static final String AROUND_FRAGMENT =
      "import static java.util.Objects.requireNonNull;\n"
          + "import io.countersign.*;\nimport io.countersign.events.*;\nimport java.awt.Desktop;\n"
          + "import java.net.*;\nimport java.time.Duration;\nimport java.util.*;\nimport javax.swing.SwingUtilities;\n"
          + "abstract class NAME {\n"
          + "  interface Window { void setLocked(boolean locked); }\n"
          + "  interface Timer { void record(String path, Duration duration); }\n"
          + "  interface Request { String getHeader(String name); }\n"
          + "  Countersign countersign; ValidateResult result; String licenseKey; String secret; byte[] body;\n"
          + "  Window window; Timer timer; Request request;\n"
          + "  abstract void open();\n  abstract void lock(String license);\n"
          + "  void assertEquals(Object one, Object other) { requireNonNull(one); }\n"
          + "  void run() throws Exception {\nFRAGMENT\n  }\n}\n";

  @TempDir Path folder;

  private static final Path DOCUMENTATION = Path.of("../../docs/sdks");

  /** Spring Boot has its own tests. */
  private static List<String> code() {
    try {
      List<String> found = new ArrayList<>();
      for (Path file : List.of(Path.of("README.md"), DOCUMENTATION.resolve("java.md"))) {
        Matcher match = Pattern.compile("(?s)```java\n(.*?)```").matcher(Files.readString(file));
        while (match.find()) if (!match.group(1).contains("org.springframework")) found.add(match.group(1));
      }
      return found;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String program(String name) {
    return code().stream().filter(text -> text.contains("public class " + name + " ")).findFirst().orElseThrow();
  }

  private List<String> output(String name, Map<String, Object> setup) throws Exception {
    RealCase real = RealCase.start(setup);
    try (ExternalProgram program = real.run(program(name), folder, ExternalProgram.onClassPath(folder))) {
      return program.rest();
    }
  }

  @Test
  void everyFragmentCompiles() throws Exception {
    List<String> options = ExternalProgram.onClassPath(folder);
    int count = 0;
    for (String fragment : code()) {
      if (fragment.contains("public class ")) continue;
      String name = "Fragment" + count++;
      String text = AROUND_FRAGMENT.replace("NAME", name).replace("FRAGMENT", fragment);
      ExternalProgram.compile(Files.writeString(folder.resolve(name + ".java"), text), options, folder);
    }
    assertTrue(count > 8, "there are fragments");
  }

  @Test
  void theFirstCallHasAtMostTenLines() throws Exception {
    String first = code().get(0);
    assertEquals(program("FirstCall"), first);
    assertTrue(first.lines().count() <= 10);
    assertEquals(List.of("Licensed."), output("FirstCall", Map.of()));
  }

  @Test
  void theGracePeriodIsStored() throws Exception {
    assertEquals(List.of("Licensed."), output("WithGrace", Map.of()));
    try (var files = Files.list(folder.resolve(".my-app/grace"))) {
      assertEquals(1, files.count());
    }
  }

  @Test
  void severalSigningSecretsAreAccepted() throws Exception {
    Map<String, Object> setup = Map.of("signing", "current and next", "outcome", RealCase.SIGNED);
    assertEquals(List.of("Licensed."), output("WithSigning", setup));
  }

  @Test
  void theDocumentationListsEveryStatus() throws Exception {
    String statuses = Files.readString(DOCUMENTATION.resolve("README.md"));
    for (Status status : Status.values())
      assertTrue(status == Status.UNKNOWN || statuses.contains("`" + status.code() + "`"), status.code());
  }

  @Test
  void theReadmeAndThePageShowThisVersion() throws Exception {
    String dependency = "<version>" + SdkVersion.VERSION + "</version>";
    assertTrue(Files.readString(Path.of("README.md")).contains(dependency));
    assertTrue(Files.readString(DOCUMENTATION.resolve("java.md")).contains(dependency));
  }
}
