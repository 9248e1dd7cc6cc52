package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void parsesValidJson() {
    assertEquals(
        Map.of("a", List.of(1L, -2L, 1.5, 1e3, true, false)),
        Json.parse(" {\"a\":[1,-2,1.5,1E+3,true,false]}\r\n"));
    assertNull(Json.parse("null"));
    assertEquals(
        "\"\\/\b\f\n\r\t\u00e9\ud83d\udd11",
        Json.parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9\\ud83d\\udd11\""));
    assertEquals(123456789012345678L, Json.parse("123456789012345678"));
    assertEquals(1.2345678901234567E19, Json.parse("12345678901234567890"));
    assertEquals(Map.of("a", 2L), Json.parse("{\"a\":1,\"a\":2}"));
    assertEquals(List.of(), Json.parse("[ ]"));
    assertEquals(Map.of(), Json.parse("{ }"));
  }

  @Test
  void rejectsInvalidJson() {
    for (String wrong :
        List.of(
            "", " ", "{", "[", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "01", "1.", ".5", "+1", "-", "1e", "0x1",
            "NaN", "Infinity", "tru", "nul", "'a'", "\"a", "\"\n\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"",
            "\"\\u+123\"", "\"\\u\uff10\uff10\uff14\uff11\"", "1 2", "[1]]", "\u00a01", "\ufeff1"))
      assertThrows(IllegalArgumentException.class, () -> Json.parse(wrong), wrong);
  }

  @Test
  void rejectsDeeplyNestedJson() {
    assertThrows(IllegalArgumentException.class, () -> Json.parse("[".repeat(500_000)));
    assertThrows(IllegalArgumentException.class, () -> Json.parse("{\"a\":".repeat(100_000)));
    Json.parse("[".repeat(100) + "]".repeat(100));
  }

  @Test
  void writesTheTextThatItParsed() {
    String text = "{\"a\":[1,2.5,null,true,\"\\u0001\\\"\\\\é🔑\"],\"b\":{}}";
    assertEquals(text, Json.write(Json.parse(text)));
  }

  @Test
  void writesOnlyValidJson() {
    assertEquals("[null,null,null]", Json.write(Arrays.asList(Double.NaN, Double.POSITIVE_INFINITY, null)));
    // An unpaired surrogate cannot be encoded in UTF-8: unescaped, different keys would become the same question mark.
    assertEquals("\"a\\ud83d\"", Json.write("a\ud83d"));
    assertEquals("\"\\udd11\\ud83d\"", Json.write("\udd11\ud83d"));
    assertEquals("\"\ud83d\udd11\"", Json.write("\ud83d\udd11"));
  }
}
