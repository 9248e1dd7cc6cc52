package io.countersign;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Locale;

/** What an error says about the response that it came from, without the keys that were sent. */
final class ErrorDetails implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int MAX_BODY_LENGTH = 4_096;

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

  static ErrorDetails of(Response response, Redaction redaction) {
    LinkedHashMap<String, String> headers = new LinkedHashMap<>();
    response
        .headers
        .map()
        .forEach(
            (name, values) ->
                headers.put(name.toLowerCase(Locale.ROOT), redaction.text(String.join(", ", values))));
    String body = redaction.text(response.text());
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
}
