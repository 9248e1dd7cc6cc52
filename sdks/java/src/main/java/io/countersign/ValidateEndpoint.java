package io.countersign;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Asks the server for a verdict, and verifies its signature. */
final class ValidateEndpoint {
  static final class Verdict {
    final ValidateResult result;
    final boolean isFromSandbox;

    private Verdict(ValidateResult result, boolean isFromSandbox) {
      this.result = result;
      this.isFromSandbox = isFromSandbox;
    }
  }

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Api api;
  private final Settings settings;

  ValidateEndpoint(Api api) {
    this.api = api;
    this.settings = api.settings;
  }

  CancellableFuture<Verdict> request(String licenseKey, ValidateOptions options) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("license_key", licenseKey);
    if (options.version != null) body.put("version", options.version);
    if (options.deviceId != null) body.put("device_id", options.deviceId);
    String nonce = settings.signing == null ? null : nonce();
    ApiRequest request = ApiRequest.post("/api/v1/validate", licenseKey, Json.write(body), nonce);
    return CancellableFuture.after(
        api.send(request, options),
        (response, failure) -> {
          if (failure != null) throw failure;
          return verdict(response, request);
        });
  }

  private Verdict verdict(Response response, ApiRequest request) {
    if (response.status != 200) throw api.unusable(response, request);
    Long clockSkewSeconds = settings.signing == null ? null : clockSkewSeconds(response, request);
    ResponseFacts facts =
        new ResponseFacts(
            response.requestId,
            response.rateLimit(),
            response.header("x-countersign-problem").orElse(null),
            clockSkewSeconds);
    ValidateResult result = read(response, facts);
    if (result == null) throw api.unusable(response, request);
    return new Verdict(result, response.isFromSandbox());
  }

  /** Throws if the response is not signed for this request. */
  private long clockSkewSeconds(Response response, ApiRequest request) {
    if (!Signatures.hasMember(response.body) && read(response, ResponseFacts.NONE) == null)
      throw api.unusable(response, request);
    Signatures.Verification verification =
        Signatures.verify(
            response.body, settings.signing, request.licenseKey, request.nonce, settings.clock.wallMillis());
    if (verification.problem != null)
      throw new SignatureException(verification.problem, api.details(response, request));
    long seconds = verification.clockSkewSeconds;
    if (Math.abs(seconds) > settings.signing.tolerance.getSeconds()) api.reporter.clockSkew(seconds);
    return seconds;
  }

  private ValidateResult read(Response response, ResponseFacts facts) {
    Instant now = Instant.ofEpochMilli(settings.clock.wallMillis());
    return ValidateResult.read(response.text(), ValidateResult.Source.SERVER, now, facts);
  }

  private static String nonce() {
    byte[] bytes = new byte[18];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
