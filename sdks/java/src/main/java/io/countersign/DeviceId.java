package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An ID for the machine that the app runs on. */
public final class DeviceId {
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_LENGTH = 256;

  private DeviceId() {}

  /**
   * Returns the same ID at every start, different for every app: a hash of the system's own ID and {@code app}. In
   * containers, which share or lose the system's ID, set {@code COUNTERSIGN_DEVICE_ID}.
   */
  public static String of(String app) {
    return of(app, null);
  }

  /** Returns {@code chosen}, such as the ID of a container's volume, or the machine's ID if that is null or empty. */
  public static String of(String app, String chosen) {
    String environment = System.getenv("COUNTERSIGN_DEVICE_ID");
    return of(app, chosen, environment, DeviceId::machineIds, DeviceId::hostName);
  }

  static String of(
      String app, String chosen, String environment, Supplier<List<String>> machineIds, Supplier<String> hostName) {
    for (String one : Arrays.asList(chosen, environment)) {
      String text = one == null ? "" : LicenseKeys.trimmed(one);
      if (!text.isEmpty()) return text.substring(0, Math.min(MAX_LENGTH, text.length()));
    }
    String machine = machineIds.get().stream().filter(DeviceId::isUsable).findFirst().orElse(null);
    String id = machine == null ? "host:" + hostName.get() : LicenseKeys.trimmed(machine);
    return Hex.text(Sha256.of("countersign.device.v1\n" + app + "\n" + id)).substring(0, 32);
  }

  /** Images of machines have an empty or placeholder ID until their first start. */
  private static boolean isUsable(String machineId) {
    String id = machineId == null ? "" : LicenseKeys.trimmed(machineId);
    return !id.isEmpty() && !id.toLowerCase(Locale.ROOT).equals("uninitialized");
  }

  private static List<String> machineIds() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    if (system.contains("mac"))
      return Arrays.asList(
          searchOutput(
              "\"IOPlatformUUID\" = \"([^\"]+)\"",
              List.of("ioreg", "-rd1", "-c", "IOPlatformExpertDevice"),
              COMMAND_TIMEOUT));
    if (system.contains("windows"))
      return Arrays.asList(
          searchOutput(
              "MachineGuid\\s+REG_SZ\\s+(\\S+)",
              List.of("reg", "query", "HKLM\\SOFTWARE\\Microsoft\\Cryptography", "/v", "MachineGuid"),
              COMMAND_TIMEOUT));
    return Arrays.asList(content("/etc/machine-id"), content("/var/lib/dbus/machine-id"));
  }

  private static String content(String path) {
    try {
      return Files.readString(Path.of(path));
    } catch (IOException none) {
      return null;
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (IOException unknown) {
      return "unknown";
    }
  }

  /** Null if the program cannot be run, takes too long or does not print the pattern. */
  static String searchOutput(String pattern, List<String> command, Duration timeout) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try {
        // The output fits into the pipe, so the program can exit before the output is read.
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) return null;
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        Matcher match = Pattern.compile(pattern).matcher(output);
        return match.find() ? match.group(1) : null;
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException noSuchProgram) {
      return null;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
