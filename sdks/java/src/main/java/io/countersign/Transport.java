package io.countersign;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * Sends a request, and retries once if the connection failed or the server responded 5xx. Both attempts share the
 * timeout. A 429 is never retried: the limit is a daily one.
 */
final class Transport {
  static final class Response {
    final int status;
    final HttpHeaders headers;
    final byte[] body;
    final String requestId;

    Response(int status, HttpHeaders headers, byte[] body) {
      this.status = status;
      this.headers = headers;
      this.body = body;
      this.requestId = headers.firstValue("x-request-id").orElse(null);
    }
  }

  /** No Countersign response is longer than this. */
  private static final int MAX_BYTES = 1024 * 1024;

  private static final double MIN_RETRY_DELAY_MILLIS = 100;
  private static final double MAX_RETRY_DELAY_MILLIS = 400;

  private final String baseUrl;
  private final Duration timeout;
  private final Clock clock;
  private final DoubleSupplier random;
  private final HttpClient http;

  Transport(String baseUrl, Duration timeout, HttpClient http, Clock clock, DoubleSupplier random) {
    this.baseUrl = baseUrl;
    this.timeout = timeout;
    this.clock = clock;
    this.random = random;
    this.http =
        http != null
            ? http
            : HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                // Redirects are rejected: the API key must not be sent elsewhere.
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(baseUrl + path));
  }

  Response send(HttpRequest.Builder builder) {
    long endMillis = clock.steadyMillis() + timeout.toMillis();
    Response first = null;
    ConnectionException failure = null;
    try {
      first = attempt(builder, endMillis);
      if (first.status < 500) return first;
    } catch (TimeoutException tooLate) {
      throw tooLate;
    } catch (ConnectionException error) {
      failure = error;
    }
    double waitMillis =
        MIN_RETRY_DELAY_MILLIS + random.getAsDouble() * (MAX_RETRY_DELAY_MILLIS - MIN_RETRY_DELAY_MILLIS);
    if (clock.steadyMillis() + waitMillis < endMillis) {
      sleep(Duration.ofMillis((long) waitMillis));
      return attempt(builder, endMillis);
    }
    if (failure != null) throw failure;
    return first;
  }

  private Response attempt(HttpRequest.Builder builder, long endMillis) {
    long leftMillis = Math.max(1, endMillis - clock.steadyMillis());
    HttpRequest request = builder.timeout(Duration.ofMillis(leftMillis)).build();
    String host = request.uri().getAuthority();
    LimitedBody body = new LimitedBody();
    CompletableFuture<HttpResponse<byte[]>> exchange = http.sendAsync(request, info -> body);
    try {
      HttpResponse<byte[]> response = exchange.get(leftMillis, TimeUnit.MILLISECONDS);
      return new Response(response.statusCode(), response.headers(), response.body());
    } catch (java.util.concurrent.TimeoutException tooLate) {
      exchange.cancel(true);
      body.cancel();
      throw timeout(host, tooLate);
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      if (cause instanceof Error) throw (Error) cause;
      if (cause instanceof HttpTimeoutException) throw timeout(host, cause);
      // Any other failure, such as a response that is not HTTP.
      throw new ConnectionException("Cannot connect to " + host + ": " + cause + ".", cause);
    } catch (InterruptedException interrupted) {
      exchange.cancel(true);
      body.cancel();
      Thread.currentThread().interrupt();
      throw new ConnectionException("The thread was interrupted while it waited for " + host + ".", interrupted);
    }
  }

  private TimeoutException timeout(String host, Throwable cause) {
    return new TimeoutException(
        host + " did not respond within " + timeout.toMillis() / 1000.0 + " seconds.", cause);
  }

  private void sleep(Duration duration) {
    try {
      clock.sleep(duration);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ConnectionException("The thread was interrupted before the retry.", interrupted);
    }
  }

  /** Reads the whole body, up to the maximum size. */
  private static final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final HttpResponse.BodySubscriber<byte[]> whole = HttpResponse.BodySubscribers.ofByteArray();
    private volatile Flow.Subscription subscription;
    private volatile boolean isCancelled;
    private long length;

    /** Before Java 16, cancelling the future does not stop reading from the connection. */
    void cancel() {
      isCancelled = true;
      Flow.Subscription current = subscription;
      if (current != null) current.cancel();
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return whole.getBody();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscription = subscription;
      whole.onSubscribe(subscription);
      if (isCancelled) subscription.cancel();
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      for (ByteBuffer buffer : buffers) length += buffer.remaining();
      if (length <= MAX_BYTES) {
        whole.onNext(buffers);
        return;
      }
      subscription.cancel();
      whole.onError(
          new IOException(
              "the response is larger than " + MAX_BYTES + " bytes, so it is not from a Countersign server"));
    }

    @Override
    public void onError(Throwable failure) {
      whole.onError(failure);
    }

    @Override
    public void onComplete() {
      whole.onComplete();
    }
  }
}
