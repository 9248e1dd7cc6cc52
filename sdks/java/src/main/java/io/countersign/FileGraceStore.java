package io.countersign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** One small file for each license in a folder of the app's own. */
public final class FileGraceStore implements GraceStore {
  private final Path folder;

  /** The folder is made when it is needed. */
  public FileGraceStore(Path folder) {
    this.folder = folder;
  }

  @Override
  public String load(String name) {
    try {
      return Files.readString(path(name));
    } catch (IOException none) {
      return null;
    }
  }

  @Override
  public void save(String name, String text) {
    try {
      Files.createDirectories(folder);
      Path half = Files.createTempFile(folder, name, ".half");
      Files.writeString(half, text);
      // Moved into place, so that nobody ever reads half of it.
      Files.move(half, path(name), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void remove(String name) {
    try {
      Files.deleteIfExists(path(name));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private Path path(String name) {
    return folder.resolve(name + ".countersign");
  }
}
