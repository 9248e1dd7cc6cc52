package io.countersign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Stores one small file per license in a folder of the app. Only the user who runs the app can read it. Several
 * processes can share the folder. A copied file does not work on another device.
 */
public final class FileGraceStore implements GraceStore {
  private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
  private static final String TEMPORARY = ".new";
  /** No temporary file is needed longer than this. An older one is from a process that was killed. */
  private static final long TEMPORARY_FILE_MILLIS = 60_000;

  private final Path folder;
  private final AtomicBoolean hasCleaned = new AtomicBoolean();
  private String deviceId;

  /** The folder is created when it is needed. Its files are bound to this machine. */
  public FileGraceStore(Path folder) {
    if (folder == null) throw new IllegalArgumentException("folder must not be null.");
    this.folder = folder.toAbsolutePath();
  }

  /** Binds the files to another ID than the machine's, such as that of a container's volume. */
  public FileGraceStore(Path folder, String deviceId) {
    this(folder);
    if (deviceId == null || deviceId.isEmpty()) throw new IllegalArgumentException("deviceId must not be empty.");
    this.deviceId = deviceId;
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
      // A random name, which only the owner can read.
      Path temporaryFile = Files.createTempFile(folder, name, TEMPORARY);
      try {
        Files.writeString(temporaryFile, text);
        // Renamed into place, so that no reader sees a partial file.
        Files.move(temporaryFile, path(name), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(temporaryFile);
      }
      if (hasCleaned.compareAndSet(false, true)) removeOldTemporaryFiles();
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

  @Override
  public Lock lock(String name) {
    try {
      createFolder();
      return FolderLock.acquire(folder.resolve(name + ".lock"));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public synchronized Optional<String> deviceId() {
    // Determined when it is needed, because that can start a program.
    if (deviceId == null) deviceId = DeviceId.of("countersign.grace");
    return Optional.of(deviceId);
  }

  private void createFolder() throws IOException {
    if (Files.isDirectory(folder)) return;
    // Windows has no POSIX permissions; a user's folders are private by default there.
    boolean isPosix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    if (isPosix) Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(OWNER));
    else Files.createDirectories(folder);
  }

  private void removeOldTemporaryFiles() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + TEMPORARY)) {
      for (Path file : files) {
        long ageMillis = System.currentTimeMillis() - Files.getLastModifiedTime(file).toMillis();
        if (ageMillis > TEMPORARY_FILE_MILLIS) Files.deleteIfExists(file);
      }
    } catch (IOException otherProcessWasFaster) {
      // It removed them, or the next start does.
    }
  }

  private Path path(String name) {
    return folder.resolve(name + ".countersign");
  }
}
