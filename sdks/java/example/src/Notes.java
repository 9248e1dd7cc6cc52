import io.countersign.AuthenticationException;
import io.countersign.Countersign;
import io.countersign.CountersignException;
import io.countersign.FileGraceStore;
import io.countersign.RateLimitException;
import io.countersign.SignatureException;
import io.countersign.Status;
import io.countersign.ValidateResult;
import io.countersign.Watch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A small commercial app that prints what its window would show. It asks for the license key once, keeps working for a
 * week without the license server, and locks or unlocks within an hour after the license changes.
 */
public class Notes {
  private static final Duration CHECK_EVERY =
      Duration.ofSeconds(Long.parseLong(System.getenv().getOrDefault("NOTES_CHECK_SECONDS", "3600")));

  /** Customers solve these themselves in the portal. */
  private static final Set<Status> SOLVED_IN_PORTAL =
      Set.of(Status.EXPIRED, Status.IP_LIMIT_REACHED, Status.IP_NOT_REGISTERED);

  private final Path folder = settingsFolder();
  private final Path keyFile = folder.resolve("license.txt");
  private final Countersign countersign =
      Countersign.builder() // Reads COUNTERSIGN_URL and COUNTERSIGN_API_KEY.
          .version("1.0.0")
          .grace(Duration.ofDays(7))
          .graceStore(new FileGraceStore(folder.resolve("grace")))
          .build();
  private String lastMessage = "";

  public static void main(String[] arguments) throws IOException {
    new Notes().run(new BufferedReader(new InputStreamReader(System.in)));
  }

  private void run(BufferedReader keyboard) throws IOException {
    for (String stored = Files.exists(keyFile) ? Files.readString(keyFile).trim() : ""; ; stored = "") {
      String key = stored.isEmpty() ? askForKey(keyboard) : stored;
      if (key.isEmpty()) return;
      System.out.println("Checking your license …");
      // The request runs in the background. In Swing, continue with thenAcceptAsync(…, SwingUtilities::invokeLater).
      CompletableFuture<ValidateResult> checking =
          countersign.validateAsync(key).handle((result, problem) -> checked(key, result, problem));
      System.out.println("Opening your notes …");
      ValidateResult result = checking.join();
      if (result == null) return;
      if (!result.valid()) continue;
      store(key);
      Watch watch = countersign.watch(key, CHECK_EVERY, (now, previous) -> show(key, now));
      // Represents a window: the app runs until its input ends.
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

  /** Null without a verdict; the reason is then shown to the customer. */
  private ValidateResult checked(String key, ValidateResult result, Throwable problem) {
    if (problem != null) {
      System.out.println(explain(problem.getCause() == null ? problem : problem.getCause()));
      return null;
    }
    show(key, result);
    if (result.source() == ValidateResult.Source.GRACE)
      System.out.println("The license server is unreachable. You can keep working for now.");
    return result;
  }

  /** Locks or unlocks the app, and shows a message only after a change. */
  private synchronized void show(String key, ValidateResult result) {
    String text = result.valid() ? "Unlocked. Welcome back!" : "Locked. " + explain(result);
    // In Swing, a button that calls Desktop.getDesktop().browse(URI.create(url)).
    if (SOLVED_IN_PORTAL.contains(result.knownStatus()))
      text += " You can solve this yourself: " + countersign.portalUrl(key);
    if (!text.equals(lastMessage)) System.out.println(text);
    lastMessage = text;
  }

  private void store(String key) {
    try {
      Files.createDirectories(folder);
      Files.writeString(keyFile, key);
    } catch (IOException failure) {
      System.out.println("Your license key could not be stored, so the app will ask for it again: " + failure);
    }
  }

  private static String explain(ValidateResult result) {
    switch (result.knownStatus()) {
      case LICENSE_NOT_FOUND:
        return "This license key does not exist. Please check it for typos.";
      case EXPIRED:
        return "Your license has expired. Please renew it to continue.";
      case REVOKED:
        return "Your license was revoked. Please contact us if you think this is a mistake.";
      case IP_LIMIT_REACHED:
        return "Your license is already in use from the maximum number of IP addresses.";
      case IP_NOT_REGISTERED:
        return "Your license does not cover this IP address.";
      case VERSION_NOT_ALLOWED:
        return "Your license does not cover this version of the app.";
      default:
        return "Your license was rejected (" + result.status() + "). Please contact us.";
    }
  }

  /** Explains why there is no verdict. */
  private static String explain(Throwable problem) {
    if (problem instanceof AuthenticationException || problem instanceof SignatureException)
      return "This copy of the app cannot validate licenses. Please install the latest version.";
    if (problem instanceof RateLimitException)
      return "The license server accepts no more requests today. Please try again after "
          + ((RateLimitException) problem).resetAt()
          + ".";
    if (problem instanceof CountersignException)
      return "Your license could not be validated. Please connect to the internet and restart the app.";
    return "Unexpected error: " + problem;
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
