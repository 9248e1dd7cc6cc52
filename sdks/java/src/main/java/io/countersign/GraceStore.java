package io.countersign;

/**
 * Keeps one text for each license, so that an app that starts without a network still runs. It is called from several
 * threads. What it throws changes no verdict; there is only no grace then.
 */
public interface GraceStore {
  /** Null when there is none. */
  String load(String name);

  /** Keeps it in place of the one before. */
  void save(String name, String text);

  /** Forgets it. */
  void remove(String name);
}
