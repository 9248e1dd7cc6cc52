package io.countersign;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** One request on the wire. Its end is handled once: a response, a failure, the timeout or a cancellation. */
final class Attempt {
  final RequestEvent event;
  private final long startNanos = System.nanoTime();
  private final ResponseBody body = new ResponseBody();
  private final AtomicBoolean hasEnded = new AtomicBoolean();
  private volatile CompletableFuture<HttpResponse<byte[]>> exchange;

  Attempt(ApiRequest request, int number) {
    event = new RequestEvent(request.method, request.publicPath, number);
  }

  CompletableFuture<HttpResponse<byte[]>> send(HttpClient http, HttpRequest request) {
    try {
      exchange = http.sendAsync(request, info -> body);
    } catch (RuntimeException notSent) {
      // Such as an executor that has been shut down.
      exchange = CompletableFuture.failedFuture(notSent);
    }
    if (hasEnded.get()) cancel();
    return exchange;
  }

  /** True for the first call only. */
  boolean end() {
    return hasEnded.compareAndSet(false, true);
  }

  void cancel() {
    CompletableFuture<?> current = exchange;
    if (current != null) current.cancel(true);
    body.cancel();
  }

  Duration duration() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }
}
