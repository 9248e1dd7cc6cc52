package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Serializable;
import java.net.URLEncoder;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;

/** What an error says about the response that it came from, without the keys that were sent. */
final class ErrorDetails implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int MAX_BODY_LENGTH = 4_096;
  private static final String REDACTED = "[redacted]";

  static final ErrorDetails NONE = new ErrorDetails(null, null, new LinkedHashMap<>(), null);

  final String requestId;
  final Integer status;
  final LinkedHashMap<String, String> headers;
  final String body;

  private ErrorDetails(String requestId, Integer status, LinkedHashMap<String, String> headers, String body) {
    this.requestId = requestId;
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  static ErrorDetails of(Response response, String apiKey, String licenseKey) {
    Set<String> secrets = new LinkedHashSet<>();
    for (String key : new String[] {apiKey, licenseKey, LicenseKeys.trimmed(licenseKey)}) {
      String json = Json.write(key);
      secrets.add(key);
      secrets.add(json.substring(1, json.length() - 1));
      secrets.add(URLEncoder.encode(key, UTF_8).replace("+", "%20"));
    }
    LinkedHashMap<String, String> headers = new LinkedHashMap<>();
    response
        .headers
        .map()
        .forEach(
            (name, values) ->
                headers.put(name.toLowerCase(Locale.ROOT), redacted(String.join(", ", values), secrets)));
    String body = redacted(response.text(), secrets);
    return new ErrorDetails(
        response.requestId,
        response.status,
        headers,
        body.substring(0, Math.min(MAX_BODY_LENGTH, body.length())));
  }

  /** For calls that are not sent because of this response: they have none of their own. */
  ErrorDetails onlyRequestId() {
    return new ErrorDetails(requestId, null, new LinkedHashMap<>(), null);
  }

  private static String redacted(String text, Set<String> secrets) {
    String result = text;
    for (String secret : secrets) result = result.replace(secret, REDACTED);
    return result;
  }
}
