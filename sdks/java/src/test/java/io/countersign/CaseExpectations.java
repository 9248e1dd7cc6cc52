package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Compares outcomes and requests with what a case expects. */
final class CaseExpectations {
  /** Of these, only the members that are listed are compared. */
  private static final Set<String> PARTLY_COMPARED = Set.of("rate_limit", "headers");

  private static final int MIN_KEY_LENGTH = 8;

  private CaseExpectations() {}

  /** Null for no result. */
  static void check(Supplier<Map<String, Object>> work, Map<String, Object> expect) {
    assertEquals(1, expect.size(), "a step has one expectation");
    CaseRunner.requireKnown(expect, "result", "decision", "license", "error");
    Map<String, Object> actual;
    try {
      actual = work.get();
      if (expect.containsKey("error")) fail("an error was expected, not " + actual);
    } catch (CountersignException problem) {
      if (!expect.containsKey("error")) throw problem;
      actual = CaseFields.of(problem);
    }
    Map<String, Object> expected = CaseRunner.map(expect.values().iterator().next());
    if (expected == null) assertNull(actual);
    else compare(expected, actual);
  }

  private static void compare(Map<String, Object> expected, Map<String, Object> actual) {
    assertTrue(actual != null, "there is no result");
    expected.forEach(
        (name, value) -> {
          assertTrue(actual.containsKey(name), () -> "this runner does not know " + name + ", or it is missing");
          if (PARTLY_COMPARED.contains(name) && value instanceof Map)
            compare(CaseRunner.map(value), CaseRunner.map(actual.get(name)));
          else assertEquals(withDoubles(value), withDoubles(actual.get(name)), name);
        });
  }

  /** Fails if an error, or what caused it, contains a key that was sent. Short keys are part of other words. */
  static void requireNoKeys(Throwable problem, String... keys) {
    StringWriter shown = new StringWriter();
    problem.printStackTrace(new PrintWriter(shown));
    if (problem instanceof CountersignException) shown.append(CaseFields.of((CountersignException) problem).toString());
    for (String key : keys)
      if (key != null && key.trim().length() >= MIN_KEY_LENGTH)
        assertFalse(shown.toString().contains(key.trim()), () -> "the error contains a key: " + shown);
  }

  static void compareSent(Map<String, Object> request, Map<String, Object> expected) {
    CaseRunner.requireKnown(
        expected, "method", "path", "headers", "header_patterns", "body", "has_header", "has_no_header");
    for (String name : List.of("method", "path"))
      if (expected.containsKey(name)) assertEquals(expected.get(name), request.get(name));
    Map<String, Object> headers = CaseRunner.map(request.get("headers"));
    CaseRunner.map(expected.getOrDefault("headers", Map.of()))
        .forEach((name, value) -> assertEquals(value, headers.get(name)));
    CaseRunner.map(expected.getOrDefault("header_patterns", Map.of()))
        .forEach(
            (name, pattern) -> {
              String value = String.valueOf(headers.get(name));
              assertTrue(Pattern.compile((String) pattern).matcher(value).find(), name + ": " + value);
            });
    if (expected.containsKey("body")) assertEquals(expected.get("body"), Json.parse((String) request.get("body")));
    if (expected.containsKey("has_header")) assertTrue(headers.containsKey(expected.get("has_header")));
    if (expected.containsKey("has_no_header")) assertFalse(headers.containsKey(expected.get("has_no_header")));
  }

  static void allDiffer(List<?> requests, Object header) {
    Set<Object> values = new HashSet<>();
    for (Object request : requests)
      values.add(CaseRunner.map(CaseRunner.map(request).get("headers")).get(header));
    assertEquals(requests.size(), values.size());
  }

  /** Converts all numbers to doubles, so that their types do not matter. */
  private static Object withDoubles(Object value) {
    if (value instanceof Number) return ((Number) value).doubleValue();
    if (value instanceof List) {
      List<Object> list = new ArrayList<>();
      for (Object one : (List<?>) value) list.add(withDoubles(one));
      return list;
    }
    if (!(value instanceof Map)) return value;
    Map<Object, Object> map = new LinkedHashMap<>();
    ((Map<?, ?>) value).forEach((name, one) -> map.put(name, withDoubles(one)));
    return map;
  }
}
