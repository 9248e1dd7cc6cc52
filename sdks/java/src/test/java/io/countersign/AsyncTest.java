package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads, executors and cancellation of asynchronous calls. */
@Timeout(120)
class AsyncTest {
  private static final String KEY = ConformanceServer.DEFAULT_KEY;
  private static final int MANY = 200;
  /** The shared threads of the SDK, and the two of the HTTP client and of CompletableFuture. */
  private static final int FEW = 15;

  private static CountersignBuilder builder(String url) {
    return Countersign.builder().apiKey("csk_test").baseUrl(url).timeout(Duration.ofMinutes(2));
  }

  private static List<CompletableFuture<ValidateResult>> startMany(Countersign client) {
    List<CompletableFuture<ValidateResult>> calls = new ArrayList<>();
    for (int count = 0; count < MANY; count++) calls.add(client.validateAsync("KEY-" + count));
    return calls;
  }

  @Test
  void callsThatWaitForAResponseHaveNoThread() throws Exception {
    try (HangingServer server = new HangingServer()) {
      Countersign client = builder(server.url()).build();
      int before = Thread.getAllStackTraces().size();
      List<CompletableFuture<ValidateResult>> calls = startMany(client);
      server.awaitConnections(MANY);
      int added = Thread.getAllStackTraces().size() - before;
      assertTrue(added <= FEW, added + " threads for " + MANY + " calls");
      for (CompletableFuture<?> call : calls) assertTrue(call.cancel(true));
    }
  }

  @Test
  void callsThatPauseBeforeARetryHaveNoThread() throws Exception {
    CountDownLatch pausing = new CountDownLatch(MANY);
    Clock endlessPauses =
        new Clock() {
          @Override
          public long wallMillis() {
            return SYSTEM.wallMillis();
          }

          @Override
          public long steadyMillis() {
            return SYSTEM.steadyMillis();
          }

          @Override
          public CompletableFuture<Void> after(Duration duration) {
            pausing.countDown();
            return new CompletableFuture<>();
          }
        };
    Countersign client = builder("http://127.0.0.1:1").clock(endlessPauses, () -> 0).build();
    List<CompletableFuture<ValidateResult>> calls = startMany(client);
    assertTrue(pausing.await(60, TimeUnit.SECONDS));
    while (busyThreads() > 0) Thread.sleep(10);
    for (CompletableFuture<?> call : calls) assertTrue(call.cancel(true));
  }

  /** The threads of the SDK that are not waiting for a task. */
  private static long busyThreads() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().startsWith("countersign"))
        .filter(thread -> Stream.of(thread.getValue()).noneMatch(frame -> frame.getMethodName().equals("getTask")))
        .count();
  }

  @Test
  void cancellingTheOnlyCallCancelsTheRequest() throws Exception {
    // Before Java 16, the HTTP client has no way to do that.
    Assumptions.assumeTrue(Runtime.version().feature() >= 16);
    try (HangingServer server = new HangingServer()) {
      Countersign client = builder(server.url()).build();
      List<CompletableFuture<?>> calls =
          List.of(client.validateAsync("A"), client.checkAsync("B"), client.lookupAsync("C"));
      server.awaitConnections(calls.size());
      for (CompletableFuture<?> call : calls) assertTrue(call.cancel(true));
      for (int index = 0; index < calls.size(); index++) server.awaitClosed(index);
      for (CompletableFuture<?> call : calls) assertThrows(CancellationException.class, call::join);
    }
  }

  @Test
  void cancellingOneOfTwoCallsLeavesTheOther() throws Exception {
    CountDownLatch mayAnswer = new CountDownLatch(1);
    RawServer.Answer later =
        out -> {
          mayAnswer.await();
          out.write(RawServer.active().getBytes(UTF_8));
        };
    try (RawServer server = new RawServer(later)) {
      Countersign client = builder(server.url()).build();
      CompletableFuture<ValidateResult> first = client.validateAsync(KEY);
      CompletableFuture<Decision> second = client.checkAsync(KEY);
      assertTrue(first.cancel(true));
      mayAnswer.countDown();
      assertTrue(second.get(30, TimeUnit.SECONDS).allowed());
      assertTrue(first.isCancelled());
      assertEquals(1, server.requests.size());
    }
  }

  @Test
  void aCallAfterACancelledOneSendsItsOwnRequest() throws Exception {
    try (HangingServer server = new HangingServer()) {
      Countersign client = builder(server.url()).build();
      CompletableFuture<ValidateResult> first = client.validateAsync(KEY);
      server.awaitConnections(1);
      first.cancel(true);
      CompletableFuture<ValidateResult> second = client.validateAsync(KEY);
      assertNotSame(first, second);
      server.awaitConnections(2);
      assertFalse(second.isDone());
      second.cancel(true);
    }
  }

  @Test
  void anInterruptedThreadCancelsItsRequest() throws Exception {
    Assumptions.assumeTrue(Runtime.version().feature() >= 16);
    try (HangingServer server = new HangingServer()) {
      Countersign client = builder(server.url()).build();
      Thread thread = new Thread(() -> assertThrows(ConnectionException.class, () -> client.validate(KEY)));
      thread.start();
      server.awaitConnections(1);
      thread.interrupt();
      server.awaitClosed(0);
      thread.join();
    }
  }

  @Test
  void callsWithOtherLimitsDoNotShareARequest() throws Exception {
    try (HangingServer server = new HangingServer()) {
      Countersign client = builder(server.url()).build();
      CompletableFuture<ValidateResult> patient = client.validateAsync(KEY);
      ValidateOptions soon = ValidateOptions.none().timeout(Duration.ofMillis(50));
      assertThrows(TimeoutException.class, () -> client.validate(KEY, soon));
      assertFalse(patient.isDone());
      patient.cancel(true);
    }
  }

  @Test
  void everythingAfterTheResponseRunsInTheChosenExecutor() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(2, task -> new Thread(task, "chosen"));
    try (RawServer server = new RawServer(RawServer.active())) {
      List<String> names = new java.util.concurrent.CopyOnWriteArrayList<>();
      Countersign client =
          builder(server.url())
              .executor(executor)
              .onResponse(response -> names.add(Thread.currentThread().getName()))
              .build();
      CountDownLatch hasEnded = new CountDownLatch(1);
      CompletableFuture<ValidateResult> call = client.validateAsync(KEY);
      call.thenRun(hasEnded::countDown);
      assertTrue(hasEnded.await(30, TimeUnit.SECONDS));
      assertEquals("chosen", names.get(0));
      try (Watch watch =
          client.watch(
              KEY,
              Duration.ofHours(1),
              (result, before) -> call.thenRun(() -> names.add("watch " + Thread.currentThread().getName())))) {
        while (!names.contains("watch chosen")) Thread.sleep(5);
        assertFalse(watch.toString().contains(KEY));
      }
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void anExecutorThatRejectsTasksLeavesNoCallUnanswered() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    executor.shutdown();
    try (RawServer server = new RawServer(RawServer.active())) {
      Countersign client = builder(server.url()).executor(executor).timeout(Duration.ofSeconds(2)).build();
      for (CompletableFuture<?> call : List.of(client.validateAsync(KEY), client.lookupAsync(KEY))) {
        Throwable cause =
            assertThrows(ExecutionException.class, () -> call.get(30, TimeUnit.SECONDS)).getCause();
        assertTrue(cause instanceof ConnectionException, cause.toString());
      }
      assertTrue(client.check(KEY).problem().isPresent());
    }
  }

  @Test
  void aStageThatBlocksDoesNotDelayOtherCallers() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (RawServer server = new RawServer(RawServer.active())) {
      Countersign client = builder(server.url()).build();
      CompletableFuture<ValidateResult> first = client.validateAsync(KEY, ValidateOptions.none().fresh());
      CompletableFuture<Void> blocked =
          first.thenAccept(
              result -> {
                try {
                  release.await();
                } catch (InterruptedException ended) {
                  Thread.currentThread().interrupt();
                }
              });
      List<CompletableFuture<ValidateResult>> others = startMany(client);
      for (CompletableFuture<ValidateResult> other : others)
        assertTrue(other.get(60, TimeUnit.SECONDS).valid());
      release.countDown();
      blocked.get(30, TimeUnit.SECONDS);
    }
  }
}
