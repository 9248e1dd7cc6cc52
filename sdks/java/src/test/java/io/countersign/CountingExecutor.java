package io.countersign;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Waits for the work that a client does in the background. */
final class CountingExecutor implements Executor, AutoCloseable {
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "test-executor");
            thread.setDaemon(true);
            return thread;
          });
  private int running;

  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      running++;
    }
    threads.execute(
        () -> {
          try {
            task.run();
          } finally {
            ended();
          }
        });
  }

  private synchronized void ended() {
    running--;
    notifyAll();
  }

  synchronized void awaitIdle() throws InterruptedException {
    while (running > 0) wait();
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
