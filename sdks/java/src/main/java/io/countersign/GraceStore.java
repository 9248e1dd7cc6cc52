package io.countersign;

/**
 * Stores one text per license, so that an app can start offline. It is called from several threads. An exception
 * changes no verdict; it only costs the grace period.
 */
public interface GraceStore {
  /** Returns the text, or null if there is none. */
  String load(String name);

  /** Saves the text, and replaces an earlier one. */
  void save(String name, String text);

  /** Removes the text. */
  void remove(String name);
}
