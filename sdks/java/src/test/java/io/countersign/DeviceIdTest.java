package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class DeviceIdTest {
  @Test
  void isTheSameForAnAppAndAnotherForAnother() {
    Assumptions.assumeTrue(System.getenv("COUNTERSIGN_DEVICE_ID") == null);
    assertTrue(DeviceId.of("one").matches("[0-9a-f]{32}"));
    assertEquals(DeviceId.of("one"), DeviceId.of("one"));
    assertNotEquals(DeviceId.of("one"), DeviceId.of("two"));
  }

  @Test
  void readsWhatAProgramSays() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    assertEquals("version", DeviceId.found("(version)", List.of(java, "-version"), Duration.ofSeconds(30)));
    assertNull(DeviceId.found("(nothing of the kind)", List.of(java, "-version"), Duration.ofSeconds(30)));
  }

  @Test
  void aProgramThatHangsIsNotWaitedFor() throws Exception {
    // It waits for its input to end, and is there wherever a JDK is.
    String waits = Path.of(System.getProperty("java.home"), "bin", "jshell").toString();
    Assumptions.assumeTrue(Path.of(waits).toFile().exists());
    long start = System.nanoTime();
    assertNull(DeviceId.found("(x)", List.of(waits, "-"), Duration.ofMillis(300)));
    assertTrue(System.nanoTime() - start < 10_000_000_000L);
  }
}
