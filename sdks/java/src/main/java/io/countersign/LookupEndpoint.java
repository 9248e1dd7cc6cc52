package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.Map;

/** Asks the server for the record of a license. */
final class LookupEndpoint {
  private static final String PATH = "/api/v1/license/";

  private final Api api;

  LookupEndpoint(Api api) {
    this.api = api;
  }

  CancellableFuture<LicenseRecord> request(String licenseKey, ValidateOptions options) {
    String escaped = URLEncoder.encode(licenseKey, UTF_8).replace("+", "%20");
    ApiRequest request = ApiRequest.get(PATH + escaped, PATH + "{key}", licenseKey);
    return CancellableFuture.after(
        api.send(request, options),
        (response, failure) -> {
          try {
            if (failure != null) throw failure;
            return read(response, request);
          } catch (NotFoundException found) {
            throw found;
          } catch (CountersignException problem) {
            api.reporter.withoutVerdict(problem);
            throw problem;
          }
        });
  }

  private LicenseRecord read(Response response, ApiRequest request) {
    Map<String, Object> problem = response.status == 404 ? Json.object(response.text()) : null;
    if (problem != null && Long.valueOf(404).equals(problem.get("statusCode")))
      throw new NotFoundException(api.details(response, request));
    LicenseRecord license = response.status == 200 ? LicenseRecord.read(response.text()) : null;
    if (license == null) throw api.unusable(response, request);
    return license;
  }
}
