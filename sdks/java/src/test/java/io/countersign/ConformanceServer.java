package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The server of ../conformance. It starts with the first use, once for all tests. */
final class ConformanceServer {
  static final String START = "2026-06-01T12:00:00.000Z";
  static final String DEFAULT_KEY = "ABCD-EFGH-JKMN-PQRS";

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static String url;

  private ConformanceServer() {}

  static synchronized String url() {
    if (url == null) url = start();
    return url;
  }

  /** All cases, by file name. */
  static Map<String, Object> suite() {
    return send(HttpRequest.newBuilder(URI.create(url() + "/suite")));
  }

  /** Starts a case with these answers. Returns its base URL and, for real answers, the client's settings and time. */
  static Map<String, Object> startCase(Object answers) {
    Map<String, Object> script = new LinkedHashMap<>();
    script.put("now", START);
    script.put("answers", answers);
    HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString(Json.write(script));
    return send(HttpRequest.newBuilder(URI.create(url() + "/cases")).POST(body));
  }

  /** The requests received at a base URL so far. */
  static List<?> requests(String baseUrl) {
    return (List<?>) send(HttpRequest.newBuilder(URI.create(baseUrl))).get("requests");
  }

  private static Map<String, Object> send(HttpRequest.Builder request) {
    try {
      String body = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
      Map<String, Object> response = Json.object(body);
      if (response == null) throw new IllegalStateException("The conformance server returned no JSON object: " + body);
      return response;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static String start() {
    try {
      // The environment, which is inherited, selects the server to test.
      Process server =
          new ProcessBuilder(bun(), Path.of("../conformance/server.ts").toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
      String line = new BufferedReader(new InputStreamReader(server.getInputStream(), UTF_8)).readLine();
      if (line == null) throw new IllegalStateException("The conformance server exited without printing its URL.");
      return line;
    } catch (IOException failure) {
      throw new UncheckedIOException("The conformance server does not start. Check COUNTERSIGN_BUN.", failure);
    }
  }

  private static String bun() {
    String chosen = System.getenv("COUNTERSIGN_BUN");
    if (chosen != null && !chosen.isEmpty()) return chosen;
    Path installed = Path.of("../../node_modules/.bin/bun");
    return Files.exists(installed) ? installed.toAbsolutePath().toString() : "bun";
  }

  /** The server cleans up and exits when its input is closed. */
  private static void stop(Process server) {
    try {
      server.getOutputStream().close();
      if (!server.waitFor(15, TimeUnit.SECONDS)) server.destroyForcibly();
    } catch (IOException | InterruptedException ended) {
      server.destroyForcibly();
    }
  }
}
