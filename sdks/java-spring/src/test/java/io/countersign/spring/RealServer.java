package io.countersign.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The server of ../conformance, which passes requests on to a real Countersign. */
final class RealServer implements AutoCloseable {
  static final String KEY = "ABCD-EFGH-JKMN-PQRS";

  private final Process process;
  private final String url;

  RealServer() throws IOException {
    String chosen = System.getenv("COUNTERSIGN_BUN");
    String bun = chosen != null && !chosen.isEmpty() ? chosen : Path.of("../../node_modules/.bin/bun").toString();
    process =
        new ProcessBuilder(bun, Path.of("../conformance/server.ts").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    url = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
    if (url == null) throw new IllegalStateException("The conformance server does not start.");
  }

  /** Starts a case that has a product with a license. Returns its URL and the settings of its client. */
  JsonNode start(String realAnswer) throws IOException, InterruptedException {
    String body = "{\"now\":\"2026-06-01T12:00:00.000Z\",\"answers\":[{\"real\":" + realAnswer + "}]}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/cases")).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return new ObjectMapper().readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  /** The server cleans up and exits when its input is closed. */
  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(15, TimeUnit.SECONDS)) process.destroyForcibly();
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
    }
  }
}
