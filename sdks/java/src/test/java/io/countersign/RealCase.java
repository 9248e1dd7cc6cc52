package io.countersign;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A real server for a program that is shown to users, with its URL and product ID filled in. */
final class RealCase {
  static final Map<String, Object> SIGNED = Map.of("product", Map.of("signed_validation", 1));

  final String url;
  private final Map<String, Object> client;

  private RealCase(Map<String, Object> started) {
    url = (String) started.get("url");
    client = CaseRunner.map(started.get("client"));
  }

  static RealCase start(Map<String, Object> setup) {
    return new RealCase(ConformanceServer.startCase(List.of(Map.of("real", setup))));
  }

  /** Compiles the program and starts it. */
  ExternalProgram run(String program, Path folder, List<String> options) throws IOException {
    String name = program.replaceFirst("(?s).*public class (\\w+).*", "$1");
    Path source = Files.writeString(folder.resolve(name + ".java"), filledIn(program));
    ExternalProgram.compile(source, options, folder);
    return ExternalProgram.start(name, options, environment(folder));
  }

  private String filledIn(String program) {
    assertTrue(program.contains("\"https://license.example.com\""));
    String text = program.replace("https://license.example.com", url);
    if (!client.containsKey("signing")) return text;
    assertTrue(text.contains("\"PRODUCT-ID\""));
    return text.replace("PRODUCT-ID", (String) CaseRunner.map(client.get("signing")).get("product_id"));
  }

  @SuppressWarnings("unchecked")
  private Map<String, String> environment(Path folder) {
    Map<String, String> environment = new HashMap<>();
    environment.put("COUNTERSIGN_API_KEY", (String) client.get("api_key"));
    environment.put("LICENSE_KEY", ConformanceServer.DEFAULT_KEY);
    // The home folder of the program, instead of the developer's.
    environment.put("JAVA_TOOL_OPTIONS", "-Duser.home=" + folder);
    if (client.containsKey("signing")) {
      List<String> secrets = (List<String>) CaseRunner.map(client.get("signing")).get("secrets");
      environment.put("COUNTERSIGN_SIGNING_SECRETS", String.join(",", secrets));
    }
    return environment;
  }
}
