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

/** An id of the machine that the app runs on. */
public final class DeviceId {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private DeviceId() {}

  /**
   * The same at every start and another for every app: a hash of what the system calls itself and of {@code app}. In
   * containers, which share or lose that, set {@code COUNTERSIGN_DEVICE_ID} or choose an id of your own.
   */
  public static String of(String app) {
    String chosen = System.getenv("COUNTERSIGN_DEVICE_ID");
    if (chosen != null && !chosen.isEmpty()) return chosen.substring(0, Math.min(256, chosen.length()));
    try {
      byte[] text = ("countersign.device.v1\n" + app + "\n" + machine()).getBytes(UTF_8);
      return Hex.text(MessageDigest.getInstance("SHA-256").digest(text)).substring(0, 32);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256.", impossible);
    }
  }

  private static String machine() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    try {
      String id = null;
      if (system.contains("mac"))
        id =
            found(
                "\"IOPlatformUUID\" = \"([^\"]+)\"",
                List.of("ioreg", "-rd1", "-c", "IOPlatformExpertDevice"),
                PATIENCE);
      else if (system.contains("windows"))
        id =
            found(
                "MachineGuid\\s+REG_SZ\\s+(\\S+)",
                List.of("reg", "query", "HKLM\\SOFTWARE\\Microsoft\\Cryptography", "/v", "MachineGuid"),
                PATIENCE);
      else
        for (String path : List.of("/etc/machine-id", "/var/lib/dbus/machine-id"))
          if (id == null && Files.isReadable(Path.of(path))) id = Files.readString(Path.of(path)).trim();
      if (id != null && !id.isEmpty()) return id;
      return "host:" + InetAddress.getLocalHost().getHostName();
    } catch (IOException unknown) {
      return "host:unknown";
    }
  }

  static String found(String pattern, List<String> command, Duration most) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      // What these programs say fits into the pipe, so they end before it is read.
      if (!process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS)) {
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
