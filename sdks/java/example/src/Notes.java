import io.countersign.AuthenticationException;
import io.countersign.Countersign;
import io.countersign.CountersignException;
import io.countersign.FileGraceStore;
import io.countersign.RateLimitException;
import io.countersign.SignatureException;
import io.countersign.ValidateResult;
import io.countersign.Watch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A small app that people buy. What its window would show is printed. It asks for the license key once, goes on for a
 * week without the license server, and notices within the hour when the license ends or comes back.
 */
public class Notes {
  private static final Duration CHECK_EVERY =
      Duration.ofSeconds(Long.parseLong(System.getenv().getOrDefault("NOTES_CHECK_SECONDS", "3600")));

  private final Path folder = settingsFolder();
  private final Path keyFile = folder.resolve("license.txt");
  private final Countersign countersign =
      Countersign.builder() // The server and the product's API key: COUNTERSIGN_URL and COUNTERSIGN_API_KEY.
          .version("1.0.0")
          .grace(Duration.ofDays(7))
          .graceStore(new FileGraceStore(folder.resolve("grace")))
          .build();
  private String shown = "";

  public static void main(String[] arguments) throws IOException {
    new Notes().run(new BufferedReader(new InputStreamReader(System.in)));
  }

  private void run(BufferedReader keyboard) throws IOException {
    for (String key = Files.exists(keyFile) ? Files.readString(keyFile).trim() : ""; ; key = "") {
      if (key.isEmpty()) key = askForKey(keyboard);
      if (key.isEmpty()) return;
      System.out.println("Checking your license …");
      // The server is asked in the background: in Swing, go on with thenAcceptAsync(…, SwingUtilities::invokeLater).
      CompletableFuture<ValidateResult> checking = countersign.validateAsync(key).handle(this::checked);
      System.out.println("Opening your notes …");
      ValidateResult result = checking.join();
      if (result == null) return;
      if (!result.valid()) continue;
      keep(key);
      Watch watch = countersign.watch(key, CHECK_EVERY, (now, before) -> show(now));
      // This stands for a window: the app is open until its input ends.
      while (keyboard.readLine() != null) {}
      watch.close();
      return;
    }
  }

  private String askForKey(BufferedReader keyboard) throws IOException {
    System.out.println("Please enter your license key:");
    String line = keyboard.readLine();
    return line == null ? "" : line.trim();
  }

  /** Null without a verdict, after the customer was told why. */
  private ValidateResult checked(ValidateResult result, Throwable problem) {
    if (problem != null) {
      System.out.println(explained(problem.getCause() == null ? problem : problem.getCause()));
      return null;
    }
    show(result);
    if (result.source() == ValidateResult.Source.GRACE)
      System.out.println("The license server cannot be reached. You can go on working for now.");
    return result;
  }

  /** Locks and unlocks, and says so only when something has changed. */
  private synchronized void show(ValidateResult result) {
    String text = result.valid() ? "Unlocked. Welcome back!" : "Locked. " + explained(result.status());
    if (!text.equals(shown)) System.out.println(text);
    shown = text;
  }

  private void keep(String key) {
    try {
      Files.createDirectories(folder);
      Files.writeString(keyFile, key);
    } catch (IOException failure) {
      System.out.println("Your license key could not be kept, so you will be asked again: " + failure);
    }
  }

  private static String explained(String status) {
    switch (status) {
      case "license_not_found":
        return "This license key is not known. Please check it for typing errors.";
      case "expired":
        return "Your license has expired. Please renew it to go on.";
      case "revoked":
        return "Your license was withdrawn. Please write to us if that surprises you.";
      case "ip_limit_reached":
        return "Your license is in use in as many places as it allows.";
      case "version_not_allowed":
        return "Your license is not for this version of the app.";
      default:
        return "Your license does not allow this (" + status + "). Please write to us.";
    }
  }

  /** There is no verdict: not the customer's fault, and said so. */
  private static String explained(Throwable problem) {
    if (problem instanceof AuthenticationException || problem instanceof SignatureException)
      return "This copy of the app cannot check licenses. Please install the newest version.";
    if (problem instanceof RateLimitException)
      return "The license server is busy. Please try again after " + ((RateLimitException) problem).resetAt() + ".";
    if (problem instanceof CountersignException)
      return "Your license could not be checked. Please connect to the internet and start the app again.";
    return "Something went wrong: " + problem;
  }

  private static Path settingsFolder() {
    String chosen = System.getenv("NOTES_FOLDER");
    if (chosen != null) return Path.of(chosen);
    String home = System.getProperty("user.home");
    String system = System.getProperty("os.name");
    if (system.startsWith("Windows")) return Path.of(System.getenv("APPDATA"), "Notes");
    return system.startsWith("Mac")
        ? Path.of(home, "Library", "Application Support", "Notes")
        : Path.of(home, ".config", "notes");
  }
}
