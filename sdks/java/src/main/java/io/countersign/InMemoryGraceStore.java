package io.countersign;

/** Stores grace periods until the process ends. */
final class InMemoryGraceStore implements GraceStore {
  private final BoundedMap<String> texts;

  InMemoryGraceStore(int maxEntries) {
    texts = new BoundedMap<>(maxEntries);
  }

  @Override
  public String load(String name) {
    return texts.get(name);
  }

  @Override
  public void save(String name, String text) {
    texts.put(name, text);
  }

  @Override
  public void remove(String name) {
    texts.remove(name);
  }
}
