package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;

/** A program that uses the SDK, compiled and run in its own process. */
final class ExternalProgram implements AutoCloseable {
  private static final String END = "the output has ended";
  private static final String JVM_NOTICE = "Picked up JAVA_TOOL_OPTIONS";

  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private ExternalProgram(Process process) {
    this.process = process;
    Thread reading = new Thread(this::read);
    reading.setDaemon(true);
    reading.start();
  }

  /** The location of the compiled SDK. */
  static Path sdk() {
    try {
      return Path.of(Countersign.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (java.net.URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Options of the compiler and the virtual machine that put the SDK on the class path. */
  static List<String> onClassPath(Path folder) {
    return List.of("-cp", sdk() + System.getProperty("path.separator") + folder);
  }

  /** Options that use the SDK as a module. */
  static List<String> onModulePath(Path folder) {
    return List.of("-p", sdk().toString(), "--add-modules", "io.countersign", "-cp", folder.toString());
  }

  static void compile(Path source, List<String> options, Path folder) {
    List<String> arguments = new ArrayList<>(options);
    arguments.addAll(List.of("--release", "11", "-Xlint:all", "-Werror", "-encoding", "UTF-8"));
    arguments.addAll(List.of("-d", folder.toString(), source.toString()));
    int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0]));
    assertEquals(0, code, "the compiler's exit code");
  }

  static ExternalProgram start(String main, List<String> options, Map<String, String> environment) throws IOException {
    return start(main, options, environment, List.of());
  }

  static ExternalProgram start(
      String main, List<String> options, Map<String, String> environment, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"));
    // Since Java 18 the console's encoding is a separate setting.
    command.addAll(List.of("-Dstdout.encoding=UTF-8", "-Dstderr.encoding=UTF-8"));
    command.addAll(options);
    command.add(main);
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("COUNTERSIGN_"));
    builder.environment().putAll(environment);
    return new ExternalProgram(builder.start());
  }

  void type(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(UTF_8));
    process.getOutputStream().flush();
  }

  /** Waits for the next line. */
  String line() throws InterruptedException {
    String line = lines.poll(60, TimeUnit.SECONDS);
    assertNotNull(line, "nothing more was printed");
    return line.startsWith(JVM_NOTICE) ? line() : line;
  }

  /** Closes the program's input, and returns the remaining output after the program has exited. */
  List<String> rest() throws IOException, InterruptedException {
    process.getOutputStream().close();
    List<String> rest = new ArrayList<>();
    for (String line = line(); !line.equals(END); line = line()) rest.add(line);
    assertEquals(true, process.waitFor(60, TimeUnit.SECONDS), "the program exits");
    assertEquals(0, process.exitValue(), () -> "the exit code, after " + rest);
    return rest;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private void read() {
    try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) lines.add(line);
    } catch (IOException closed) {
      // The program has exited.
    }
    lines.add(END);
  }
}
