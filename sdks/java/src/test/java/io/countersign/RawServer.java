package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/** Responds to every request with the given bytes, even malformed ones. */
final class RawServer implements AutoCloseable {
  /** Writes the response to one connection, after its request was read. */
  interface Answer {
    void write(OutputStream out) throws IOException, InterruptedException;
  }

  final List<String> requests = new CopyOnWriteArrayList<>();
  private final String scheme;
  private final ServerSocket socket;

  RawServer(Answer answer) throws IOException {
    this("http", ServerSocketFactory.getDefault(), answer);
  }

  private RawServer(String scheme, ServerSocketFactory sockets, Answer answer) throws IOException {
    this.scheme = scheme;
    socket = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(
        () -> {
          while (true) {
            Socket connection = socket.accept();
            daemon(() -> serve(connection, answer));
          }
        });
  }

  RawServer(String answer) throws IOException {
    this(out -> out.write(answer.getBytes(UTF_8)));
  }

  /** A server that uses TLS. */
  static RawServer secure(SSLContext context, String answer) throws IOException {
    return new RawServer("https", context.getServerSocketFactory(), out -> out.write(answer.getBytes(UTF_8)));
  }

  static String ok(String body) {
    int length = body.getBytes(UTF_8).length;
    return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + length + "\r\n\r\n" + body;
  }

  static String active() {
    return ok("{\"valid\":true,\"status\":\"active\",\"custom\":{\"list\":[1],\"map\":{\"a\":1}},\"signature\":null}");
  }

  String url() {
    return scheme + "://127.0.0.1:" + socket.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private void serve(Socket connection, Answer answer) throws IOException, InterruptedException {
    try (connection) {
      InputStream in = connection.getInputStream();
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int one = in.read();
        if (one < 0) return;
        head.append((char) one);
      }
      String lower = head.toString().toLowerCase(java.util.Locale.ROOT);
      int at = lower.indexOf("content-length: ");
      int length = at < 0 ? 0 : Integer.parseInt(lower.substring(at + 16, lower.indexOf('\r', at)));
      requests.add(head + new String(in.readNBytes(length), UTF_8));
      answer.write(connection.getOutputStream());
      connection.getOutputStream().flush();
    }
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private static void daemon(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException closed) {
                // The test has ended, or the client closed the connection.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }
}
