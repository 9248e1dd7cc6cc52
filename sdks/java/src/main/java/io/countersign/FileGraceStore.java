package io.countersign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** One small file for each license in a folder of the app's own, for the user who runs it and nobody else. */
public final class FileGraceStore implements GraceStore {
  private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");

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
      makeFolder();
      // Such a file is its owner's alone to read.
      Path half = Files.createTempFile(folder, name, ".half");
      try {
        Files.writeString(half, text);
        // Moved into place, so that nobody ever reads half of it.
        Files.move(half, path(name), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(half);
      }
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

  private void makeFolder() throws IOException {
    if (Files.isDirectory(folder)) return;
    // Windows has no such permissions; there, a user's folders are the user's already.
    boolean isPosix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    if (isPosix) Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(OWNER));
    else Files.createDirectories(folder);
  }

  private Path path(String name) {
    return folder.resolve(name + ".countersign");
  }
}
