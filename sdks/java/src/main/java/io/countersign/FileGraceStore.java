package io.countersign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Stores one small file per license in a folder of the app. Only the user who runs the app can read it. */
public final class FileGraceStore implements GraceStore {
  private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");

  private final Path folder;

  /** The folder is created when it is needed. */
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
      createFolder();
      // Only the owner can read a temporary file.
      Path temporaryFile = Files.createTempFile(folder, name, ".new");
      try {
        Files.writeString(temporaryFile, text);
        // Renamed into place, so that no reader sees a partial file.
        Files.move(temporaryFile, path(name), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(temporaryFile);
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

  private void createFolder() throws IOException {
    if (Files.isDirectory(folder)) return;
    // Windows has no POSIX permissions; a user's folders are private by default there.
    boolean isPosix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    if (isPosix) Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(OWNER));
    else Files.createDirectories(folder);
  }

  private Path path(String name) {
    return folder.resolve(name + ".countersign");
  }
}
