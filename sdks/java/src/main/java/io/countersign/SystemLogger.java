package io.countersign;

import java.lang.System.Logger.Level;
import java.util.Map;

/** Appends the details to the message. An exception among them is logged with its stack trace. */
final class SystemLogger implements CountersignLogger {
  private final System.Logger logger;

  SystemLogger(System.Logger logger) {
    if (logger == null) throw new IllegalArgumentException("logger must not be null.");
    this.logger = logger;
  }

  @Override
  public void debug(String message, Map<String, Object> details) {
    log(Level.DEBUG, message, details);
  }

  @Override
  public void info(String message, Map<String, Object> details) {
    log(Level.INFO, message, details);
  }

  @Override
  public void warn(String message, Map<String, Object> details) {
    log(Level.WARNING, message, details);
  }

  @Override
  public void error(String message, Map<String, Object> details) {
    log(Level.ERROR, message, details);
  }

  private void log(Level level, String message, Map<String, Object> details) {
    if (!logger.isLoggable(level)) return;
    Object error = details.get("error");
    String text = details.isEmpty() ? message : message + " " + details;
    if (error instanceof Throwable) logger.log(level, text, (Throwable) error);
    else logger.log(level, text);
  }
}
