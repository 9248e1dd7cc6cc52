package io.countersign.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes texts and numbers as a JSON object, so that the app can use any JSON library, or none. */
final class JsonResponse {
  private JsonResponse() {}

  static void write(HttpServletResponse response, int status, Map<String, Object> body) throws IOException {
    byte[] bytes = json(body).getBytes(UTF_8);
    response.setStatus(status);
    response.setContentType("application/json");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }

  static String json(Map<String, Object> body) {
    return body.entrySet().stream()
        .map(member -> quoted(member.getKey()) + ":" + value(member.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String value(Object value) {
    return value instanceof Number ? value.toString() : quoted(value.toString());
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (char one : text.toCharArray()) {
      if (one == '"' || one == '\\') json.append('\\').append(one);
      // An unpaired surrogate cannot be encoded.
      else if (one < ' ' || Character.isSurrogate(one)) json.append(String.format("\\u%04x", (int) one));
      else json.append(one);
    }
    return json.append('"').toString();
  }
}
