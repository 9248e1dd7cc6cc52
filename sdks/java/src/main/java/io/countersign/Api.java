package io.countersign;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.concurrent.Executor;

/** Sends requests, and turns responses that are not a verdict into exceptions. */
final class Api {
  private static final String TEST_KEY_PREFIX = "cskt_";

  final Settings settings;
  final Reporter reporter;
  final Executor executor;
  private final HttpClient http;
  private final RateLimitGate gate;
  private final String userAgent;

  Api(Settings settings) {
    this.settings = settings;
    reporter = new Reporter(settings.logger);
    executor = Threads.work(settings.executor);
    http = settings.http != null ? settings.http : httpClient(settings);
    gate = new RateLimitGate(settings.clock);
    userAgent = SdkVersion.userAgent(settings.userAgent);
  }

  /** Completes in the executor, so that what follows may block. */
  CancellableFuture<Response> send(ApiRequest request, ValidateOptions options) {
    CountersignException refusal = refusal();
    CancellableFuture<Response> response =
        refusal == null
            ? new Exchange(http, settings, reporter, executor, request, message(request), options).start()
            : refused(refusal);
    return CancellableFuture.after(
        response,
        (received, failure) -> {
          if (failure != null) throw failure;
          return accepted(received, request);
        });
  }

  ErrorDetails details(Response response, ApiRequest request) {
    return ErrorDetails.of(response, new Redaction(settings.apiKey, request.licenseKey));
  }

  ServerException unusable(Response response, ApiRequest request) {
    return new ServerException(
        "The server sent an unusable response (HTTP " + response.status + ")." + hint(response.status),
        response.status,
        RetryAfter.seconds(response, settings.clock.wallMillis()),
        details(response, request));
  }

  private static String hint(int status) {
    if (status == 404 || status < 400) return " Check that baseUrl is the URL of a Countersign server.";
    if (status != 401 && status != 429) return "";
    return " It is not from Countersign: check the proxies and firewalls between this app and the server.";
  }

  /** Why no request is sent; null if one is. */
  private CountersignException refusal() {
    if (!settings.allowsSandbox && settings.apiKey.startsWith(TEST_KEY_PREFIX))
      return new SandboxException("The API key is a test API key, which is not allowed here.", ErrorDetails.NONE);
    return gate.exception();
  }

  private CancellableFuture<Response> refused(CountersignException refusal) {
    CancellableFuture<Response> response = new CancellableFuture<>(() -> {});
    executor.execute(() -> response.fail(refusal));
    return response;
  }

  private Response accepted(Response response, ApiRequest request) {
    boolean isSandbox = response.isFromSandbox();
    if (isSandbox && !settings.allowsSandbox)
      throw new SandboxException(
          "The response is from the sandbox, so it grants nothing.", details(response, request));
    if (!response.isRefusal()) return response;
    ErrorDetails details = details(response, request);
    if (response.status == 401) throw new AuthenticationException(details);
    long seconds = RetryAfter.secondsOfLimit(response, settings.clock.wallMillis());
    // The sandbox has no limit: other calls can continue.
    if (!isSandbox) gate.close(seconds, details);
    throw gate.exception(seconds, details);
  }

  private HttpRequest.Builder message(ApiRequest request) {
    HttpRequest.Builder message =
        HttpRequest.newBuilder(URI.create(settings.baseUrl + request.path))
            .header("Authorization", "Bearer " + settings.apiKey)
            .header("Accept", "application/json")
            .header("Accept-Encoding", "gzip")
            .header("User-Agent", userAgent);
    if (request.nonce != null) message.header("X-Countersign-Nonce", request.nonce);
    if (request.body == null) return message.GET();
    return message
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(request.body));
  }

  private static HttpClient httpClient(Settings settings) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(Threads.http(settings.executor))
            // Redirects are rejected: the API key must not be sent elsewhere.
            .followRedirects(HttpClient.Redirect.NEVER);
    // Without this, it is the default proxy selector of the Java runtime.
    return settings.proxy == null ? builder.build() : builder.proxy(settings.proxy).build();
  }
}
