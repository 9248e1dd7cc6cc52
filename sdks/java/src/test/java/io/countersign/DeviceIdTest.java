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
  void isStableForAnAppAndDiffersBetweenApps() {
    Assumptions.assumeTrue(System.getenv("COUNTERSIGN_DEVICE_ID") == null);
    assertTrue(DeviceId.of("one").matches("[0-9a-f]{32}"));
    assertEquals(DeviceId.of("one"), DeviceId.of("one"));
    assertNotEquals(DeviceId.of("one"), DeviceId.of("two"));
  }

  @Test
  void findsAPatternInTheOutputOfAProgram() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    assertEquals("version", DeviceId.searchOutput("(version)", List.of(java, "-version"), Duration.ofSeconds(30)));
    assertNull(DeviceId.searchOutput("(no such text)", List.of(java, "-version"), Duration.ofSeconds(30)));
  }

  @Test
  void aHangingProgramTimesOut() throws Exception {
    // jshell waits for its input to end, and every JDK has it.
    String jshell = Path.of(System.getProperty("java.home"), "bin", "jshell").toString();
    Assumptions.assumeTrue(Path.of(jshell).toFile().exists());
    long start = System.nanoTime();
    assertNull(DeviceId.searchOutput("(x)", List.of(jshell, "-"), Duration.ofMillis(300)));
    assertTrue(System.nanoTime() - start < 10_000_000_000L);
  }
}
