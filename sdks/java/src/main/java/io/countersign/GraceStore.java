package io.countersign;

import java.util.Optional;

/**
 * Stores one text per license, so that an app can start offline. It is called from several threads. An exception
 * changes no verdict; it only costs the grace period.
 */
public interface GraceStore {
  /** A lock that is held until it is closed. */
  interface Lock extends AutoCloseable {
    /** Releases the lock. */
    @Override
    void close();
  }

  /** Returns the text, or null if there is none. */
  String load(String name);

  /** Saves the text, and replaces an earlier one. */
  void save(String name, String text);

  /** Removes the text. */
  void remove(String name);

  /**
   * Locks the text against other clients that share the store, while it is loaded and saved. Throws an exception if
   * that is not possible in a short time. By default there is no lock, which is right for a store that only this client
   * uses.
   */
  default Lock lock(String name) {
    return () -> {};
  }

  /** The device that entries are bound to, unless the client has a {@code deviceId}. Empty by default. */
  default Optional<String> deviceId() {
    return Optional.empty();
  }
}
