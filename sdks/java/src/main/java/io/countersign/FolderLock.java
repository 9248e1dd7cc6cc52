package io.countersign;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A lock between processes and within one, by a file that exists while the lock is held. The system releases the lock
 * of a process that was killed.
 */
final class FolderLock implements GraceStore.Lock {
  private static final long MAX_WAIT_MILLIS = 1_000;
  private static final long POLL_MILLIS = 5;
  private static final int MAX_SIZE = 1 << 16;

  private final Path file;
  private final FileChannel channel;

  private FolderLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Waits at most a second. */
  static FolderLock acquire(Path file) throws IOException {
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_WAIT_MILLIS);
    while (true) {
      FolderLock lock = tryAcquire(file);
      if (lock != null) return lock;
      if (System.nanoTime() > endNanos) throw new IOException("Another client holds the lock of a grace period.");
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IOException("The thread was interrupted while it waited for the lock of a grace period.");
      }
    }
  }

  /** Null if the lock is held. */
  private static FolderLock tryAcquire(Path file) throws IOException {
    if (!enter(file)) return null;
    FileChannel channel = null;
    boolean isMine = false;
    try {
      channel = open(file);
      isMine = channel != null && channel.tryLock() != null && isStillThere(file, channel);
      return isMine ? new FolderLock(file, channel) : null;
    } finally {
      if (!isMine) {
        if (channel != null) channel.close();
        leave(file);
      }
    }
  }

  private static FileChannel open(Path file) throws IOException {
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (AccessDeniedException denied) {
      // On Windows, a file that is being removed cannot be opened.
      if (Files.isWritable(file.getParent())) return null;
      throw denied;
    }
  }

  /**
   * The previous owner may have removed the file after it was opened here; then others lock a new file. Compared by a
   * random size, without opening the file again: on Unix, closing any channel of a file releases the process's lock.
   */
  private static boolean isStillThere(Path file, FileChannel channel) throws IOException {
    int size = ThreadLocalRandom.current().nextInt(1, MAX_SIZE);
    channel.truncate(0);
    channel.write(ByteBuffer.allocate(1), size - 1);
    try {
      return Files.size(file) == size;
    } catch (NoSuchFileException removed) {
      return false;
    }
  }

  /**
   * Within a process, the system properties are the lock: file locks do not separate threads, and only system classes
   * are shared by all class loaders.
   */
  private static boolean enter(Path file) {
    return System.getProperties().putIfAbsent(property(file), "held") == null;
  }

  private static void leave(Path file) {
    System.getProperties().remove(property(file));
  }

  private static String property(Path file) {
    return "io.countersign.lock." + file;
  }

  @Override
  public void close() {
    try (channel) {
      // Only the owner removes it. Closing the channel releases the lock.
      Files.deleteIfExists(file);
    } catch (IOException left) {
      // The next owner removes it.
    } finally {
      leave(file);
    }
  }
}
