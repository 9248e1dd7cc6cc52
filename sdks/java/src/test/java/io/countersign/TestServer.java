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

/** The server of ../conformance: started when it is first needed, once for all tests. */
final class TestServer {
  static final String START = "2026-06-01T12:00:00.000Z";
  static final String USUAL_KEY = "ABCD-EFGH-JKMN-PQRS";

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static String url;

  private TestServer() {}

  static synchronized String url() {
    if (url == null) url = start();
    return url;
  }

  /** Every case there is, by the name of its file. */
  static Map<String, Object> suite() {
    return ask(HttpRequest.newBuilder(URI.create(url() + "/suite")));
  }

  /** Tells the server what to answer. Returns the base URL for it and, for real answers, more. */
  static Map<String, Object> arm(Object answers) {
    Map<String, Object> script = new LinkedHashMap<>();
    script.put("now", START);
    script.put("answers", answers);
    HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString(Json.write(script));
    return ask(HttpRequest.newBuilder(URI.create(url() + "/cases")).POST(body));
  }

  /** What was asked at a base URL so far. */
  static List<?> requests(String baseUrl) {
    return (List<?>) ask(HttpRequest.newBuilder(URI.create(baseUrl))).get("requests");
  }

  private static Map<String, Object> ask(HttpRequest.Builder question) {
    try {
      String body = HTTP.send(question.build(), HttpResponse.BodyHandlers.ofString()).body();
      Map<String, Object> answer = Json.object(body);
      if (answer == null) throw new IllegalStateException("The conformance server said: " + body);
      return answer;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static String start() {
    try {
      // It inherits the environment, and with it the choice of the server to be tested.
      Process server =
          new ProcessBuilder(bun(), Path.of("../conformance/server.ts").toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
      String said = new BufferedReader(new InputStreamReader(server.getInputStream(), UTF_8)).readLine();
      if (said == null) throw new IllegalStateException("The conformance server ended before it began.");
      return said;
    } catch (IOException failure) {
      throw new UncheckedIOException("The conformance server does not start. Is COUNTERSIGN_BUN right?", failure);
    }
  }

  private static String bun() {
    String chosen = System.getenv("COUNTERSIGN_BUN");
    if (chosen != null && !chosen.isEmpty()) return chosen;
    Path installed = Path.of("../../node_modules/.bin/bun");
    return Files.exists(installed) ? installed.toAbsolutePath().toString() : "bun";
  }

  /** It ends by itself when nobody talks to it any more, and tidies up before. */
  private static void stop(Process server) {
    try {
      server.getOutputStream().close();
      if (!server.waitFor(15, TimeUnit.SECONDS)) server.destroyForcibly();
    } catch (IOException | InterruptedException ended) {
      server.destroyForcibly();
    }
  }
}
