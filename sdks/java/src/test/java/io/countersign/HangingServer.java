package io.countersign;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Accepts connections and never answers. It has one thread, so that tests can count those of the client. */
final class HangingServer implements AutoCloseable {
  private final ServerSocket socket = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
  private final List<Socket> connections = new ArrayList<>();

  HangingServer() throws IOException {
    Thread thread = new Thread(this::accept, "hanging-server");
    thread.setDaemon(true);
    thread.start();
  }

  String url() {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  synchronized void awaitConnections(int count) throws InterruptedException {
    while (connections.size() < count) wait();
  }

  synchronized int connectionCount() {
    return connections.size();
  }

  /** Returns when the client has closed a connection. Fails after a while if it does not. */
  void awaitClosed(int index) throws IOException {
    Socket connection;
    synchronized (this) {
      connection = connections.get(index);
    }
    connection.setSoTimeout(20_000);
    try {
      while (connection.getInputStream().read() >= 0) {}
    } catch (java.net.SocketTimeoutException stillOpen) {
      throw stillOpen;
    } catch (IOException reset) {
      // Closed, too.
    }
  }

  @Override
  public synchronized void close() throws IOException {
    socket.close();
    for (Socket one : connections) one.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket one = socket.accept();
        synchronized (this) {
          connections.add(one);
          notifyAll();
        }
      }
    } catch (IOException closed) {
      // The test has ended.
    }
  }
}
