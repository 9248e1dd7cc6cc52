package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A folder that several processes, class loaders and threads share. */
@Timeout(120)
class GraceFolderTest {
  private static final String NAME = "license";

  @TempDir Path folder;

  /** Another process: counts in the folder, or tries to get its lock. */
  public static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      FileGraceStore store = new FileGraceStore(Path.of(arguments[0]), "device");
      if (arguments.length == 1) System.out.println(isFree(store) ? "free" : "held");
      else for (int count = 0; count < Integer.parseInt(arguments[1]); count++) increment(store);
    }
  }

  private static boolean isFree(FileGraceStore store) {
    try {
      store.lock(NAME).close();
      return true;
    } catch (java.io.UncheckedIOException held) {
      return false;
    }
  }

  /** Waits as long as it takes: a busy machine may exceed the limit of one attempt. */
  private static void increment(FileGraceStore store) {
    while (true) {
      GraceStore.Lock lock;
      try {
        lock = store.lock(NAME);
      } catch (java.io.UncheckedIOException busy) {
        continue;
      }
      try {
        String text = store.load(NAME);
        store.save(NAME, String.valueOf(text == null ? 1 : Integer.parseInt(text) + 1));
        return;
      } finally {
        lock.close();
      }
    }
  }

  private ExternalProgram start(String... arguments) throws Exception {
    Path tests = Path.of(GraceFolderTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> all = new ArrayList<>(List.of(folder.toString()));
    all.addAll(List.of(arguments));
    return ExternalProgram.start(Program.class.getName(), ExternalProgram.onClassPath(tests), Map.of(), all);
  }

  private List<String> files() throws Exception {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(file -> file.getFileName().toString()).sorted().collect(Collectors.toList());
    }
  }

  @Test
  void noUpdateIsLostBetweenProcessesAndThreads() throws Exception {
    try (ExternalProgram one = start("40");
        ExternalProgram two = start("40")) {
      List<CompletableFuture<Void>> threads = new ArrayList<>();
      for (int count = 0; count < 2; count++) {
        FileGraceStore store = new FileGraceStore(folder, "device");
        threads.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int times = 0; times < 40; times++) increment(store);
                }));
      }
      for (CompletableFuture<Void> thread : threads) thread.get();
      assertEquals(List.of(), one.rest());
      assertEquals(List.of(), two.rest());
    }
    assertEquals("160", new FileGraceStore(folder, "device").load(NAME));
    assertEquals(List.of(NAME + ".countersign"), files());
  }

  @Test
  void aHeldLockExcludesThreadsClassLoadersAndProcesses() throws Exception {
    FileGraceStore store = new FileGraceStore(folder, "device");
    URL[] sdk = {ExternalProgram.sdk().toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(sdk, ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass("io.countersign.FileGraceStore");
      Object other = type.getConstructor(Path.class, String.class).newInstance(folder, "device");
      GraceStore.Lock lock = store.lock(NAME);
      assertThrows(java.io.UncheckedIOException.class, () -> new FileGraceStore(folder).lock(NAME));
      assertThrows(
          InvocationTargetException.class, () -> type.getMethod("lock", String.class).invoke(other, NAME));
      // The attempts above must not have released it: on Unix, closing the file anywhere in the process would.
      try (ExternalProgram program = start()) {
        assertEquals(List.of("held"), program.rest());
      }
      lock.close();
      ((AutoCloseable) type.getMethod("lock", String.class).invoke(other, NAME)).close();
    }
    try (ExternalProgram program = start()) {
      assertEquals(List.of("free"), program.rest());
    }
    assertEquals(List.of(), files());
  }

  @Test
  void filesThatAKilledProcessLeftBehindAreHarmlessAndRemoved() throws Exception {
    Files.writeString(folder.resolve(NAME + ".lock"), "left");
    Path old = Files.writeString(folder.resolve("old.new"), "left");
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(120)));
    Files.writeString(folder.resolve("current.new"), "another process is writing");
    FileGraceStore store = new FileGraceStore(folder);
    store.lock(NAME).close();
    store.save(NAME, "text");
    assertEquals(List.of("current.new", NAME + ".countersign"), files());
  }

  @Test
  void filesAreBoundToTheMachineUnlessTheAppChooses() {
    assertEquals(DeviceId.of("countersign.grace"), new FileGraceStore(folder).deviceId().orElseThrow());
    assertEquals("volume", new FileGraceStore(folder, "volume").deviceId().orElseThrow());
    for (String wrong : new String[] {null, ""})
      assertThrows(IllegalArgumentException.class, () -> new FileGraceStore(folder, wrong));
    assertTrue(new FileGraceStore(folder).load("none") == null);
  }
}
