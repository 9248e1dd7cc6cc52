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
 * Asks, and once more when the connection failed or the server was in trouble. Both tries together take no longer than
 * the time-out. A 429 is never asked again: the limit is a daily one.
 */
final class Transport {
  static final class Reply {
    final int status;
    final HttpHeaders headers;
    final byte[] body;
    final String requestId;

    Reply(int status, HttpHeaders headers, byte[] body) {
      this.status = status;
      this.headers = headers;
      this.body = body;
      this.requestId = headers.firstValue("x-request-id").orElse(null);
    }
  }

  /** An answer of the service is shorter; what is longer is not from it. */
  private static final int MOST_BYTES = 1024 * 1024;

  private static final double LEAST_PAUSE_MILLIS = 100;
  private static final double MOST_PAUSE_MILLIS = 400;

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
                // An API has no business sending the key somewhere else.
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(baseUrl + path));
  }

  Reply ask(HttpRequest.Builder question) {
    long endMillis = clock.steadyMillis() + timeout.toMillis();
    Reply first = null;
    ConnectionException failure = null;
    try {
      first = attempt(question, endMillis);
      if (first.status < 500) return first;
    } catch (TimeoutException tooLate) {
      throw tooLate;
    } catch (ConnectionException error) {
      failure = error;
    }
    double waitMillis = LEAST_PAUSE_MILLIS + random.getAsDouble() * (MOST_PAUSE_MILLIS - LEAST_PAUSE_MILLIS);
    if (clock.steadyMillis() + waitMillis < endMillis) {
      pause(Duration.ofMillis((long) waitMillis));
      return attempt(question, endMillis);
    }
    if (failure != null) throw failure;
    return first;
  }

  private Reply attempt(HttpRequest.Builder question, long endMillis) {
    long leftMillis = Math.max(1, endMillis - clock.steadyMillis());
    HttpRequest request = question.timeout(Duration.ofMillis(leftMillis)).build();
    String host = request.uri().getAuthority();
    Bounded body = new Bounded();
    CompletableFuture<HttpResponse<byte[]>> asking = http.sendAsync(request, info -> body);
    try {
      HttpResponse<byte[]> response = asking.get(leftMillis, TimeUnit.MILLISECONDS);
      return new Reply(response.statusCode(), response.headers(), response.body());
    } catch (java.util.concurrent.TimeoutException tooLate) {
      asking.cancel(true);
      body.giveUp();
      throw tooLate(host, tooLate);
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      if (cause instanceof Error) throw (Error) cause;
      if (cause instanceof HttpTimeoutException) throw tooLate(host, cause);
      // Whatever else there is, such as an answer that is not HTTP: no verdict came.
      throw new ConnectionException(host + " cannot be reached: " + cause + ".", cause);
    } catch (InterruptedException interrupted) {
      asking.cancel(true);
      body.giveUp();
      Thread.currentThread().interrupt();
      throw new ConnectionException("The thread was interrupted while it waited for " + host + ".", interrupted);
    }
  }

  private TimeoutException tooLate(String host, Throwable cause) {
    return new TimeoutException(
        "No answer from " + host + " within " + timeout.toMillis() / 1000.0 + " seconds.", cause);
  }

  private void pause(Duration duration) {
    try {
      clock.sleep(duration);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ConnectionException("The thread was interrupted.", interrupted);
    }
  }

  /** The whole body, unless it is longer than any. */
  private static final class Bounded implements HttpResponse.BodySubscriber<byte[]> {
    private final HttpResponse.BodySubscriber<byte[]> whole = HttpResponse.BodySubscribers.ofByteArray();
    private volatile Flow.Subscription subscription;
    private volatile boolean isGivenUp;
    private long length;

    /** Before Java 16, cancelling the future alone leaves the connection reading. */
    void giveUp() {
      isGivenUp = true;
      Flow.Subscription begun = subscription;
      if (begun != null) begun.cancel();
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return whole.getBody();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscription = subscription;
      whole.onSubscribe(subscription);
      if (isGivenUp) subscription.cancel();
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      for (ByteBuffer buffer : buffers) length += buffer.remaining();
      if (length <= MOST_BYTES) {
        whole.onNext(buffers);
        return;
      }
      subscription.cancel();
      whole.onError(new IOException("The answer is longer than any of this service"));
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
