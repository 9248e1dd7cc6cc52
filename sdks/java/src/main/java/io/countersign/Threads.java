package io.countersign;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that all clients of a process share. None waits for a response, and none keeps the app alive. */
final class Threads {
  /** The tasks of the HTTP client do not block, except for host names that are being resolved. */
  private static final int HTTP_THREADS = 4;

  private static final long IDLE_SECONDS = 10;

  /** Created with the first client that has no executor of its own. */
  private static final class Shared {
    static final Executor HTTP = limited();
    /** Not limited: grace stores and stages of the app may block. */
    static final Executor WORK = withIdleTime((ThreadPoolExecutor) Executors.newCachedThreadPool(daemons("")));
  }

  private Threads() {}

  /** For the HTTP client. */
  static Executor http(Executor chosen) {
    return chosen == null ? Shared.HTTP : chosen;
  }

  /** For everything after a response. A task that the executor rejects runs at once, so that no call is unanswered. */
  static Executor work(Executor chosen) {
    Executor executor = chosen == null ? Shared.WORK : chosen;
    return task -> {
      try {
        executor.execute(task);
      } catch (RejectedExecutionException rejected) {
        task.run();
      }
    };
  }

  private static Executor limited() {
    return withIdleTime(
        new ThreadPoolExecutor(
            HTTP_THREADS, HTTP_THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons("-http")));
  }

  private static Executor withIdleTime(ThreadPoolExecutor executor) {
    executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  private static ThreadFactory daemons(String suffix) {
    return task -> {
      Thread thread = new Thread(task, "countersign" + suffix);
      thread.setDaemon(true);
      return thread;
    };
  }
}
