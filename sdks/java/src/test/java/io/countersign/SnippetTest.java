package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the snippets of the dashboard against a real server. */
@Timeout(120)
class SnippetTest {
  private static final Path SNIPPETS = Path.of("../snippets");

  @TempDir Path folder;

  @Test
  void aValidLicenseIsReported() throws Exception {
    RealCase real = RealCase.start(Map.of());
    assertEquals(List.of("Licensed."), output("Licensed.java", real, ExternalProgram.onClassPath(folder)));
    Map<String, Object> request = CaseRunner.map(ConformanceServer.requests(real.url).get(0));
    Map<String, Object> body = Json.object((String) request.get("body"));
    assertEquals(Map.of("license_key", ConformanceServer.DEFAULT_KEY, "version", "1.0.0"), body);
  }

  @Test
  void aRevokedLicenseIsReported() throws Exception {
    RealCase real = RealCase.start(Map.of("outcome", "a revoked license is refused"));
    assertEquals(
        List.of("Not licensed: revoked"), output("Licensed.java", real, ExternalProgram.onClassPath(folder)));
  }

  @Test
  void aSignedResponseIsAcceptedWithTheSdkAsAModule() throws Exception {
    RealCase real = RealCase.start(Map.of("signing", "current", "outcome", RealCase.SIGNED));
    assertEquals(List.of("Licensed."), output("signed/Licensed.java", real, ExternalProgram.onModulePath(folder)));
  }

  @Test
  void aSignatureWithAnotherSecretIsRejected() throws Exception {
    RealCase real = RealCase.start(Map.of("signing", "wrong", "outcome", RealCase.SIGNED));
    String snippet = Files.readString(SNIPPETS.resolve("signed/Licensed.java"));
    try (ExternalProgram program = real.run(snippet, folder, ExternalProgram.onClassPath(folder))) {
      String line = program.line();
      assertTrue(line.contains("io.countersign.SignatureException") && line.contains("mismatch"), line);
    }
  }

  private List<String> output(String name, RealCase real, List<String> options) throws Exception {
    try (ExternalProgram program = real.run(Files.readString(SNIPPETS.resolve(name)), folder, options)) {
      return program.rest();
    }
  }
}
