package io.countersign;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** A request with its retries, which share one timeout. No thread waits for it. */
final class Exchange {
  private static final double MIN_PAUSE_MILLIS = 100;
  private static final double MAX_PAUSE_MILLIS = 400;

  private final HttpClient http;
  private final Settings settings;
  private final Reporter reporter;
  private final Executor executor;
  private final ApiRequest request;
  private final HttpRequest.Builder message;
  private final Duration timeout;
  private final int retries;
  private final long endMillis;
  private final CancellableFuture<Response> response = new CancellableFuture<>(this::cancelled);
  private volatile Attempt current;

  Exchange(
      HttpClient http,
      Settings settings,
      Reporter reporter,
      Executor executor,
      ApiRequest request,
      HttpRequest.Builder message,
      ValidateOptions options) {
    this.http = http;
    this.settings = settings;
    this.reporter = reporter;
    this.executor = executor;
    this.request = request;
    this.message = message;
    timeout = options.timeout != null ? options.timeout : settings.timeout;
    retries = options.retries != null ? options.retries : settings.retries;
    endMillis = settings.clock.steadyMillis() + timeout.toMillis();
  }

  CancellableFuture<Response> start() {
    CompletableFuture<Boolean> timer = new CompletableFuture<>();
    timer
        .completeOnTimeout(true, timeout.toMillis(), TimeUnit.MILLISECONDS)
        .thenAcceptAsync(isOver -> timedOut(isOver), executor);
    // Stops the timer, so that it does not hold the exchange in memory.
    response.whenComplete((done, failure) -> timer.complete(false));
    attempt(1);
    return response;
  }

  private void attempt(int number) {
    Attempt attempt = new Attempt(request, number);
    current = attempt;
    if (response.isDone()) return;
    reporter.call("onRequest", settings.onRequest, attempt.event);
    // Before Java 16, only this ends a request: cancelling its future does not.
    Duration left = Duration.ofMillis(Math.max(1, endMillis - settings.clock.steadyMillis()));
    attempt
        .send(http, message.timeout(left).build())
        .whenCompleteAsync((answer, failure) -> ended(attempt, answer, failure), executor);
    if (response.isDone()) attempt.cancel();
  }

  private void ended(Attempt attempt, HttpResponse<byte[]> answer, Throwable failure) {
    if (!attempt.end()) return;
    if (response.isDone()) {
      report(attempt, null, new CancellationException("The call has ended."));
      return;
    }
    try {
      if (failure != null) throw CancellableFuture.cause(failure);
      byte[] body = ResponseBody.decoded(answer.body(), answer.headers());
      Response received = new Response(answer.statusCode(), answer.headers(), body);
      report(attempt, received, null);
      if (received.status < 500 || !retry(attempt, pauseMillis(received), "HTTP " + received.status))
        response.complete(received);
    } catch (HttpTimeoutException tooLate) {
      TimeoutException problem = timeout(tooLate);
      report(attempt, null, problem);
      response.completeExceptionally(problem);
    } catch (Error error) {
      response.completeExceptionally(error);
    } catch (Throwable failed) {
      Redaction redaction = new Redaction(settings.apiKey, request.licenseKey);
      String reason = redaction.text(failed.toString());
      ConnectionException problem =
          new ConnectionException("Cannot connect to " + host() + ": " + reason + ".", redaction.cause(failed));
      report(attempt, null, problem);
      if (!retry(attempt, pauseMillis(), failed.getClass().getSimpleName()))
        response.completeExceptionally(problem);
    }
  }

  /** Returns whether there is another attempt. */
  private boolean retry(Attempt attempt, long pauseMillis, String reason) {
    int number = attempt.event.attempt();
    if (number > retries || settings.clock.steadyMillis() + pauseMillis >= endMillis) return false;
    reporter.retry(attempt.event, pauseMillis, reason);
    settings
        .clock
        .after(Duration.ofMillis(pauseMillis))
        .thenRunAsync(() -> attempt(number + 1), executor);
    return true;
  }

  private long pauseMillis() {
    return (long) (MIN_PAUSE_MILLIS + settings.random.getAsDouble() * (MAX_PAUSE_MILLIS - MIN_PAUSE_MILLIS));
  }

  private long pauseMillis(Response received) {
    Long seconds = received.status == 503 ? RetryAfter.seconds(received, settings.clock.wallMillis()) : null;
    return Math.max(pauseMillis(), seconds == null ? 0 : seconds * 1_000);
  }

  private void timedOut(boolean isOver) {
    if (isOver) stop(timeout(null));
  }

  private void cancelled() {
    stop(new CancellationException("The call was cancelled."));
  }

  private void stop(RuntimeException reason) {
    Attempt attempt = current;
    if (attempt != null && attempt.end()) {
      attempt.cancel();
      report(attempt, null, reason);
    }
    response.completeExceptionally(reason);
  }

  private void report(Attempt attempt, Response received, Exception problem) {
    ResponseEvent event = new ResponseEvent(attempt.event, attempt.duration(), received, problem);
    reporter.call("onResponse", settings.onResponse, event);
  }

  private TimeoutException timeout(Throwable cause) {
    return new TimeoutException(
        host() + " did not respond within " + timeout.toMillis() / 1000.0 + " seconds.", cause);
  }

  private String host() {
    return message.build().uri().getAuthority();
  }
}
