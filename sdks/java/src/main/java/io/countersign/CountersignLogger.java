package io.countersign;

import java.util.Map;

/**
 * Receives what the client logs. Neither messages nor details contain a key. It is called from several threads, and an
 * exception that it throws is ignored.
 */
public interface CountersignLogger {
  /** For developers, such as a retry. */
  default void debug(String message, Map<String, Object> details) {}

  /** Normal operation. */
  default void info(String message, Map<String, Object> details) {}

  /** Someone should look at it, such as a server that is unreachable. */
  default void warn(String message, Map<String, Object> details) {}

  /** Something must be fixed, such as a listener that throws. */
  default void error(String message, Map<String, Object> details) {}

  /** Logs with the platform's logger named {@code io.countersign}, which SLF4J, Log4j and others can take over. */
  static CountersignLogger system() {
    return to(System.getLogger("io.countersign"));
  }

  /** Logs with a logger of the platform. */
  static CountersignLogger to(System.Logger logger) {
    return new SystemLogger(logger);
  }
}
