package io.countersign;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The blocking methods: they wait for the asynchronous ones. */
final class Waiting {
  /** For the grace store and a busy machine. Only an executor whose threads are all blocked takes longer. */
  private static final Duration EXTRA = Duration.ofSeconds(15);

  private Waiting() {}

  static <T> T await(CompletableFuture<T> call, Duration timeout) {
    try {
      return call.get(timeout.plus(EXTRA).toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException) throw (RuntimeException) failed.getCause();
      if (failed.getCause() instanceof Error) throw (Error) failed.getCause();
      throw new IllegalStateException(failed.getCause());
    } catch (InterruptedException interrupted) {
      call.cancel(true);
      Thread.currentThread().interrupt();
      throw new ConnectionException("The thread was interrupted while it waited for the response.", interrupted);
    } catch (java.util.concurrent.TimeoutException blocked) {
      call.cancel(true);
      throw new TimeoutException("No thread of the executor was free to process the response.", blocked);
    }
  }
}
