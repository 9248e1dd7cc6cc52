package io.countersign.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plays Countersign: keys that start with VALID are active, those with REVOKED are revoked, and others are unknown. */
final class PlayedCountersign implements AutoCloseable {
  /** A response instead of a verdict. */
  record Failure(int status, Map<String, String> headers, String body) {}

  static final Failure WRONG_API_KEY = new Failure(401, Map.of(), "{\"status\":\"invalid_api_key\"}");

  private static final Pattern KEY = Pattern.compile("\"license_key\":\"([^\"]*)\"");

  /** The body of every request. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  final List<String> userAgents = new CopyOnWriteArrayList<>();
  volatile Failure failure;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  PlayedCountersign() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    server.createContext("/", this::respond);
    server.setExecutor(threads);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void respond(HttpExchange exchange) throws IOException {
    String request = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    requests.add(request);
    userAgents.add(exchange.getRequestHeaders().getFirst("User-Agent"));
    Failure failed = failure;
    exchange.getResponseHeaders().set("X-Request-Id", "req_1");
    if (failed != null) failed.headers().forEach(exchange.getResponseHeaders()::set);
    byte[] body = (failed == null ? verdict(request) : failed.body()).getBytes(UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(failed == null ? 200 : failed.status(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static String verdict(String request) {
    Matcher matcher = KEY.matcher(request);
    String key = matcher.find() ? matcher.group(1) : "";
    String status = key.startsWith("REVOKED") ? "revoked" : "license_not_found";
    if (key.startsWith("VALID")) status = "active";
    return "{\"valid\":" + status.equals("active") + ",\"status\":\"" + status + "\",\"signature\":null}";
  }
}
