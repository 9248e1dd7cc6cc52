package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileGraceStoreTest {
  @TempDir Path temporary;

  @Test
  void savesReplacesAndRemoves() {
    FileGraceStore store = new FileGraceStore(temporary.resolve("a/b"));
    assertNull(store.load("one"));
    store.remove("one");
    store.save("one", "first");
    store.save("one", "sécond");
    assertEquals("sécond", store.load("one"));
    assertNull(store.load("two"));
    store.remove("one");
    assertNull(store.load("one"));
  }

  @Test
  void onlyTheOwnerCanReadTheFiles() throws Exception {
    Assumptions.assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
    Path folder = temporary.resolve("own/grace");
    new FileGraceStore(folder).save("one", "text");
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
    Path file = folder.resolve("one.countersign");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
  }

  @Test
  void noReaderSeesAPartialFile() {
    FileGraceStore store = new FileGraceStore(temporary);
    String even = "a".repeat(100_000);
    String odd = "b".repeat(100_000);
    store.save("one", even);
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              for (int count = 0; count < 200; count++) store.save("one", count % 2 == 0 ? odd : even);
            });
    while (!writing.isDone())
      assertEquals(100_000, store.load("one").chars().filter(character -> character >= 'a').count());
    writing.join();
  }

  @Test
  void aFailedSaveLeavesNoFileBehind() throws Exception {
    // A folder that is not empty has the name of the file.
    Files.createDirectories(temporary.resolve("one.countersign/full"));
    FileGraceStore store = new FileGraceStore(temporary);
    assertThrows(UncheckedIOException.class, () -> store.save("one", "text"));
    try (Stream<Path> all = Files.list(temporary)) {
      List<String> names = all.map(path -> path.getFileName().toString()).collect(Collectors.toList());
      assertEquals(List.of("one.countersign"), names);
    }
  }
}
