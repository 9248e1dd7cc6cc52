package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The grace period, beyond the conformance suite: stores that fail, are slow or are shared. */
@Timeout(60)
class GraceTest {
  private static final String KEY = ConformanceServer.DEFAULT_KEY;
  private static final ValidateResult VALID =
      ValidateResult.read(
          "{\"valid\":true,\"status\":\"active\"}",
          ValidateResult.Source.SERVER,
          Instant.now(),
          ResponseFacts.NONE);

  private final Map<String, String> stored = new ConcurrentHashMap<>();

  /** A store that fails on demand. */
  private class TestStore implements GraceStore {
    volatile boolean canSave = true;
    volatile boolean canRemove = true;
    volatile boolean canLock = true;

    @Override
    public String load(String name) {
      return stored.get(name);
    }

    @Override
    public void save(String name, String text) {
      require(canSave);
      stored.put(name, text);
    }

    @Override
    public void remove(String name) {
      require(canRemove);
      stored.remove(name);
    }

    @Override
    public Lock lock(String name) {
      require(canLock);
      return () -> {};
    }

    private void require(boolean works) {
      if (!works) throw new IllegalStateException("no disk");
    }
  }

  private static Grace grace(GraceStore store, String apiKey, String deviceId, int maxEntries) {
    GraceEntries entries = new GraceEntries(store, apiKey, deviceId, new Reporter(null));
    return new Grace(3_600_000, entries, Clock.SYSTEM, maxEntries);
  }

  private static Grace grace(GraceStore store) {
    return grace(store, "csk_test", null, 10);
  }

  private static void grant(Grace grace, String key) {
    grace.recordGrant(key, key, VALID, () -> true);
  }

  private static void reject(Grace grace, String key) {
    grace.recordRejection(key, () -> true);
  }

  private static CountersignBuilder builder(String url) {
    return Countersign.builder().apiKey("csk_test").baseUrl(url).grace(Duration.ofDays(7));
  }

  @Test
  void aFailingStoreChangesNoVerdict() throws Exception {
    GraceStore failing =
        new GraceStore() {
          @Override
          public String load(String name) {
            throw new IllegalStateException("no disk");
          }

          @Override
          public void save(String name, String text) {
            throw new IllegalStateException("no disk");
          }

          @Override
          public void remove(String name) {
            throw new IllegalStateException("no disk");
          }

          @Override
          public java.util.Optional<String> deviceId() {
            throw new IllegalStateException("no device");
          }
        };
    try (RawServer server = new RawServer(RawServer.active());
        RawServer rejecting = new RawServer(RawServer.ok("{\"valid\":false,\"status\":\"revoked\"}"))) {
      assertTrue(builder(server.url()).graceStore(failing).build().validate(KEY).valid());
      assertFalse(builder(rejecting.url()).graceStore(failing).build().validate(KEY).valid());
    }
    Countersign unreachable = builder("http://127.0.0.1:1").graceStore(failing).build();
    assertThrows(ConnectionException.class, () -> unreachable.validate(KEY));
  }

  @Test
  void aRejectionAppliesWithoutTheStoreAndAnEntryThatCannotBeUpdatedGrantsNothing() {
    TestStore store = new TestStore();
    store.canRemove = false;
    Grace grace = grace(store);
    grant(grace, KEY);
    assertNotNull(grace.graceResult(KEY, KEY));
    store.canSave = false;
    assertNull(grace.graceResult(KEY, KEY));
    store.canSave = true;
    assertNotNull(grace.graceResult(KEY, KEY));
    reject(grace, KEY);
    assertNull(grace.graceResult(KEY, KEY));
  }

  @Test
  void withoutTheLockNothingIsGrantedOrSavedButARejectionStillRemoves() {
    TestStore store = new TestStore();
    Grace grace = grace(store);
    store.canLock = false;
    grant(grace, KEY);
    assertTrue(stored.isEmpty());
    store.canLock = true;
    grant(grace, KEY);
    assertEquals(1, stored.size());
    store.canLock = false;
    assertNull(grace.graceResult(KEY, KEY));
    reject(grace, KEY);
    assertTrue(stored.isEmpty());
  }

  @Test
  void aRejectedLicenseGetsNoGracePeriodEvenAfterItsRejectionWasEvicted() {
    TestStore store = new TestStore();
    store.canRemove = false;
    Grace earlier = grace(store);
    List<String> keys = List.of("A", "B", "C", "D");
    keys.forEach(key -> grant(earlier, key));
    grant(earlier, "OLD");

    Grace grace = grace(store, "csk_test", null, 2);
    keys.forEach(key -> reject(grace, key));
    grant(grace, "NEW");
    grant(grace, "AGAIN");
    for (String key : keys) assertNull(grace.graceResult(key, key), key);
    assertNotNull(grace.graceResult("NEW", "NEW"));
    assertTrue(grace.size() <= 4);
    // A rejection was evicted from memory, so grants of an earlier process are ignored.
    assertNull(grace.graceResult("OLD", "OLD"));
    grant(grace, "A");
    assertNotNull(grace.graceResult("A", "A"));
  }

  @Test
  void aRejectionDuringAConcurrentGraceCheckIsNotLost() throws Exception {
    CountDownLatch loading = new CountDownLatch(2);
    CountDownLatch resume = new CountDownLatch(1);
    GraceStore slow =
        new TestStore() {
          @Override
          public String load(String name) {
            String text = stored.get(name);
            loading.countDown();
            try {
              if (text != null) resume.await();
            } catch (InterruptedException ended) {
              Thread.currentThread().interrupt();
            }
            return text;
          }
        };
    Grace grace = grace(slow);
    grant(grace, KEY);
    assertEquals(1, stored.size());
    assertFalse(stored.toString().contains(KEY));
    Thread graceCheck = new Thread(() -> grace.graceResult(KEY, KEY));
    Thread rejection = new Thread(() -> reject(grace, KEY));
    graceCheck.start();
    loading.await();
    rejection.start();
    // Enough time to finish, if nothing blocked it.
    rejection.join(200);
    resume.countDown();
    graceCheck.join();
    rejection.join();
    assertTrue(stored.isEmpty());
  }

  @Test
  void anAnswerThatIsOutOfDateByThenLeavesNoTrace() {
    Grace grace = grace(new TestStore());
    grace.recordGrant(KEY, KEY, VALID, () -> false);
    assertTrue(stored.isEmpty());
    grant(grace, KEY);
    grace.recordRejection(KEY, () -> false);
    assertNotNull(grace.graceResult(KEY, KEY));
  }

  @Test
  void productsThatShareAFolderHaveSeparateGracePeriods(@TempDir Path folder) {
    FileGraceStore store = new FileGraceStore(folder);
    Grace one = grace(store, "csk_one", null, 10);
    Grace other = grace(store, "csk_other", null, 10);
    grant(one, KEY);
    grant(other, KEY);
    assertNotNull(one.graceResult(KEY, KEY));
    assertNotNull(other.graceResult(KEY, KEY));
  }

  @Test
  void aCopiedFileGrantsNothingOnAnotherDevice(@TempDir Path folder) throws Exception {
    Path original = folder.resolve("original");
    grant(grace(new FileGraceStore(original, "first")), KEY);
    Path copy = Files.createDirectory(folder.resolve("copy"));
    try (var files = Files.list(original)) {
      for (Path file : files.toArray(Path[]::new)) Files.copy(file, copy.resolve(file.getFileName()));
    }
    assertNotNull(grace(new FileGraceStore(copy, "first")).graceResult(KEY, KEY));
    assertNull(grace(new FileGraceStore(copy, "second")).graceResult(KEY, KEY));
    // The client's own device ID counts before the store's.
    assertNull(grace(new FileGraceStore(copy, "first"), "csk_test", "third", 10).graceResult(KEY, KEY));
  }

  @Test
  void memoryIsBounded() {
    Grace grace = grace(new InMemoryGraceStore(10));
    for (int count = 0; count < 100; count++) grant(grace, "key " + count);
    assertEquals(10, grace.size());
  }
}
