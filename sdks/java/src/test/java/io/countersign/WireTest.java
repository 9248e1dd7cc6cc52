package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is sent and received, beyond the conformance suite. */
@Timeout(60)
class WireTest {
  private static final String KEY = ConformanceServer.DEFAULT_KEY;

  private static CountersignBuilder builder(String url) {
    return Countersign.builder().apiKey("csk_test").baseUrl(url);
  }

  @Test
  void aRedirectIsNotFollowed() throws Exception {
    String head = "HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nConnection: close\r\nLocation: ";
    try (RawServer other = new RawServer(RawServer.active());
        RawServer server = new RawServer(head + other.url() + "\r\n\r\n")) {
      assertThrows(ServerException.class, () -> builder(server.url()).build().validate(KEY));
      assertEquals(List.of(), other.requests);
    }
  }

  @Test
  void nonAsciiKeysAreSentUnchanged() throws Exception {
    String key = "Schlüssel ÷ 鍵 🔑/?#%+*~";
    try (RawServer server = new RawServer(RawServer.active())) {
      builder(server.url()).build().validate(key, ValidateOptions.none().deviceId("a\"\\\n\u2028"));
      String request = server.requests.get(0);
      Map<String, Object> body = Json.object(request.substring(request.indexOf("\r\n\r\n") + 4));
      assertEquals(Map.of("license_key", key, "device_id", "a\"\\\n\u2028"), body);
    }
    try (RawServer server = new RawServer(RawServer.ok("{}"))) {
      assertThrows(ServerException.class, () -> builder(server.url()).build().lookup(key));
      String path = server.requests.get(0).split(" ")[1];
      assertEquals("/api/v1/license/" + key, java.net.URI.create(path).getPath() + unescapedNote(path));
    }
  }

  private static String unescapedNote(String path) {
    return path.contains("#") || path.contains("?") ? " (not escaped)" : "";
  }

  @Test
  void aResponseThatIsNotHttpIsAConnectionError() throws Exception {
    for (String wrong :
        List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n\r\n",
            "\r\n\r\n\r\n"))
      try (RawServer server = new RawServer(wrong)) {
        assertThrows(ConnectionException.class, () -> builder(server.url()).build().validate(KEY), wrong);
      }
  }

  @Test
  void anEndlessResponseIsAConnectionError() throws Exception {
    RawServer.Answer endless =
        out -> {
          out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(UTF_8));
          byte[] spaces = " ".repeat(65_536).getBytes(UTF_8);
          while (true) out.write(spaces);
        };
    try (RawServer server = new RawServer(endless)) {
      CountersignException problem =
          assertThrows(ConnectionException.class, () -> builder(server.url()).build().validate(KEY));
      assertFalse(problem instanceof TimeoutException);
    }
  }

  @Test
  void theTimeoutCoversTheWholeBody() throws Exception {
    CountDownLatch wasClosed = new CountDownLatch(1);
    RawServer.Answer slow =
        out -> {
          out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".getBytes(UTF_8));
          try {
            for (int count = 0; count < 900; count++) {
              out.write(' ');
              out.flush();
              Thread.sleep(20);
            }
          } catch (java.io.IOException closed) {
            wasClosed.countDown();
          }
        };
    try (RawServer server = new RawServer(slow)) {
      long start = System.nanoTime();
      Countersign client = builder(server.url()).timeout(Duration.ofMillis(600)).build();
      assertThrows(TimeoutException.class, () -> client.validate(KEY));
      assertTrue(System.nanoTime() - start < 5_000_000_000L);
      assertTrue(wasClosed.await(10, TimeUnit.SECONDS), "the connection is closed too");
    }
  }

  @Test
  void aServerThatDoesNotAcceptConnectionsIsATimeout() throws Exception {
    List<Socket> waiting = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (int count = 0; count < 8; count++) {
        Socket one = new Socket();
        waiting.add(one);
        try {
          one.connect(full.getLocalSocketAddress(), 100);
        } catch (java.net.SocketTimeoutException isFull) {
          break;
        }
      }
      Countersign client =
          builder("http://127.0.0.1:" + full.getLocalPort()).timeout(Duration.ofMillis(500)).build();
      assertThrows(TimeoutException.class, () -> client.validate(KEY));
    } finally {
      for (Socket one : waiting) one.close();
    }
  }

  @Test
  void aCompressedResponseIsLimitedByItsDecompressedSize() throws Exception {
    byte[] bomb = gzip(new byte[20 * 1024 * 1024]);
    assertTrue(bomb.length < ResponseBody.MAX_BYTES);
    for (byte[] body : new byte[][] {bomb, "not gzip".getBytes(UTF_8), Arrays.copyOf(bomb, 20)})
      try (RawServer server = new RawServer(out -> out.write(compressed(body)))) {
        ConnectionException problem =
            assertThrows(ConnectionException.class, () -> builder(server.url()).build().validate(KEY));
        assertFalse(problem instanceof TimeoutException);
      }
    byte[] small = gzip("{\"valid\":true,\"status\":\"active\"}".getBytes(UTF_8));
    try (RawServer server = new RawServer(out -> out.write(compressed(small)))) {
      assertTrue(builder(server.url()).build().validate(KEY).valid());
    }
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }

  private static byte[] compressed(byte[] body) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    String head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\nContent-Length: ";
    bytes.write((head + body.length + "\r\n\r\n").getBytes(UTF_8));
    bytes.write(body);
    return bytes.toByteArray();
  }

  @Test
  void requestsGoThroughTheChosenProxyOrThatOfTheRuntime() throws Exception {
    String url = "http://licenses.example.invalid";
    ProxySelector original = ProxySelector.getDefault();
    try (RawServer proxy = new RawServer(RawServer.active())) {
      ProxySelector selector = ProxySelector.of(new InetSocketAddress("127.0.0.1", URI.create(proxy.url()).getPort()));
      assertTrue(builder(url).proxy(selector).build().validate(KEY).valid());
      ProxySelector.setDefault(selector);
      assertTrue(builder(url).build().validate(KEY).valid());
      for (String request : proxy.requests)
        assertTrue(request.startsWith("POST " + url + "/api/v1/validate HTTP/1.1\r\n"), request);
      assertEquals(2, proxy.requests.size());
      HttpClient http = HttpClient.newHttpClient();
      assertThrows(
          IllegalArgumentException.class, () -> builder(url).proxy(selector).httpClient(http).build());
    } finally {
      ProxySelector.setDefault(original);
    }
  }

  @Test
  void theUserAgentHasTheVersionOfThePackage() throws Exception {
    String pom = Files.readString(Path.of("pom.xml"));
    assertTrue(pom.contains("<artifactId>countersign-java</artifactId>\n  <version>" + SdkVersion.VERSION + "<"));
    try (RawServer server = new RawServer(RawServer.active())) {
      builder(server.url()).userAgent("my-app/1.0").build().validate(KEY);
      String expected = "User-Agent: countersign-java/" + SdkVersion.VERSION + " my-app/1.0\r\n";
      assertTrue(server.requests.get(0).contains(expected), server.requests.get(0));
    }
  }

  @Test
  void aRateLimitThatCannotBeReadIsIgnored() {
    String policy = "\"daily\";q=10000;w=86400";
    RateLimit limit = RateLimit.read("\"burst\";q=5, " + policy, "\"daily\";r=33;t=4321, \"burst\";r=1;t=1");
    assertEquals("RateLimit[limit=10000, remaining=33, reset=PT1H12M1S]", limit.toString());
    assertNull(RateLimit.read(null, "\"daily\";r=33;t=4321"));
    for (String wrong : List.of("", "daily", "\"daily\";r=33", "\"daily\";r=-1;t=1", "\"other\";r=1;t=1", ";;;"))
      assertNull(RateLimit.read(policy, wrong), wrong);
  }
}
