package io.countersign.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Each kind of failure is logged once, until there is a verdict again. */
class FailureLogTest {
  private final PlayedCountersign server = new PlayedCountersign();
  private final Logger logger = (Logger) LoggerFactory.getLogger("test of the failure log");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    logger.setAdditive(false);
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void close() {
    logger.detachAppender(lines);
    server.close();
  }

  private LicensedApp app(Map<String, String> properties) {
    LicensedApp.Setup setup = new LicensedApp.Setup();
    setup.logger = logger;
    setup.properties = properties;
    return setup.against(server.url());
  }

  @Test
  void eachFailureIsLoggedOnceUntilThereIsAVerdict() {
    LicensedApp app = app(Map.of());
    assertThat(app.send("VALID-1").getStatus()).isEqualTo(200);
    server.failure = PlayedCountersign.WRONG_API_KEY;
    for (int i = 0; i < 3; i++) assertThat(app.send("VALID-2" + i).getStatus()).isEqualTo(500);
    assertThat(levels()).containsExactly(Level.ERROR);
    assertThat(lines.list.get(0).getFormattedMessage()).contains("set countersign.api-key");
    // A cached verdict says nothing about the server.
    assertThat(app.send("VALID-1").getStatus()).isEqualTo(200);
    assertThat(app.send("VALID-23").getStatus()).isEqualTo(500);
    server.failure = new PlayedCountersign.Failure(404, Map.of(), "{}");
    for (int i = 0; i < 2; i++) assertThat(app.send("VALID-3").getStatus()).isEqualTo(503);
    assertThat(levels()).containsExactly(Level.ERROR, Level.WARN);
    server.failure = null;
    assertThat(app.send("VALID-3").getStatus()).isEqualTo(200);
    server.failure = new PlayedCountersign.Failure(404, Map.of(), "{}");
    assertThat(app.send("VALID-4").getStatus()).isEqualTo(503);
    assertThat(levels()).containsExactly(Level.ERROR, Level.WARN, Level.WARN);
    assertThat(lines.list).noneMatch(line -> line.getFormattedMessage().contains("VALID-"));
  }

  @Test
  void theLimitIsLoggedOncePerAddress() {
    LicensedApp app = app(Map.of("countersign.unknown-keys-per-minute", "1"));
    for (int last = 0; last < 12; last++)
      for (int i = 0; i < 3; i++) app.send("MADE-UP-" + last + "-" + i, "192.0.2." + last);
    assertThat(levels()).hasSize(10).containsOnly(Level.WARN);
  }

  @Test
  void aLoggerThatFailsChangesNothing() {
    Object failing =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {org.slf4j.Logger.class},
            (proxy, method, arguments) -> {
              throw new IllegalStateException("the disk is full");
            });
    LicensedApp.Setup setup = new LicensedApp.Setup();
    setup.logger = (org.slf4j.Logger) failing;
    server.failure = PlayedCountersign.WRONG_API_KEY;
    assertThat(setup.against(server.url()).send("VALID").getStatus()).isEqualTo(500);
  }

  private List<Level> levels() {
    return lines.list.stream().map(ILoggingEvent::getLevel).toList();
  }
}
