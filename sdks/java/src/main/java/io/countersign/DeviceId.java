package io.countersign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An ID for the machine that the app runs on. */
public final class DeviceId {
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

  private DeviceId() {}

  /**
   * Returns the same ID at every start, different for every app: a hash of the system's own ID and {@code app}. In
   * containers, which share or lose the system's ID, set {@code COUNTERSIGN_DEVICE_ID}.
   */
  public static String of(String app) {
    String chosen = System.getenv("COUNTERSIGN_DEVICE_ID");
    if (chosen != null && !chosen.isEmpty()) return chosen.substring(0, Math.min(256, chosen.length()));
    try {
      byte[] text = ("countersign.device.v1\n" + app + "\n" + machine()).getBytes(UTF_8);
      return Hex.text(MessageDigest.getInstance("SHA-256").digest(text)).substring(0, 32);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("This Java runtime has no SHA-256.", impossible);
    }
  }

  private static String machine() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    try {
      String id = null;
      if (system.contains("mac"))
        id =
            searchOutput(
                "\"IOPlatformUUID\" = \"([^\"]+)\"",
                List.of("ioreg", "-rd1", "-c", "IOPlatformExpertDevice"),
                COMMAND_TIMEOUT);
      else if (system.contains("windows"))
        id =
            searchOutput(
                "MachineGuid\\s+REG_SZ\\s+(\\S+)",
                List.of("reg", "query", "HKLM\\SOFTWARE\\Microsoft\\Cryptography", "/v", "MachineGuid"),
                COMMAND_TIMEOUT);
      else
        for (String path : List.of("/etc/machine-id", "/var/lib/dbus/machine-id"))
          if (id == null && Files.isReadable(Path.of(path))) id = Files.readString(Path.of(path)).trim();
      if (id != null && !id.isEmpty()) return id;
      return "host:" + InetAddress.getLocalHost().getHostName();
    } catch (IOException unknown) {
      return "host:unknown";
    }
  }

  static String searchOutput(String pattern, List<String> command, Duration timeout) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      // The output fits into the pipe, so the program can exit before the output is read.
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        return null;
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      return null;
    }
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    Matcher match = Pattern.compile(pattern).matcher(output);
    return match.find() ? match.group(1) : null;
  }
}
