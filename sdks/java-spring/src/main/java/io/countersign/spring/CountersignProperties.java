package io.countersign.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of Countersign.
 *
 * @param apiKey The product's API key (csk_…).
 * @param baseUrl The URL of the Countersign server. Defaults to the environment variable COUNTERSIGN_URL.
 * @param timeout For a whole call, including retries.
 * @param retries How often a failed connection or a 5xx is retried, 0 to 5.
 * @param cache How long a valid license is cached.
 * @param cacheEntries The maximum number of cached licenses.
 * @param notFoundCache How long it is remembered that there is no license with a key.
 * @param grace How long a valid license stays valid without a verdict, at most 30 days.
 * @param graceFolder The folder that stores grace periods across restarts. Defaults to memory.
 * @param advisory Whether requests are let in without a verdict.
 * @param allowSandbox Whether test API keys and responses of the sandbox are accepted. For tests only.
 * @param version The licensed app's version.
 * @param deviceId Sent with every validation.
 * @param signing Signed responses.
 * @param header The header that has the license key.
 * @param required Whether every handler requires a license, except with @SkipLicense.
 * @param skipPaths Path patterns that need no license if required is set, such as /actuator/**.
 * @param unknownKeysPerMinute How many unknown keys each IP address may send per minute. 0 for no limit.
 * @param webhookSecret The secret of the webhook endpoint (whsec_…). During a rotation both, separated by a comma.
 */
@ConfigurationProperties("countersign")
public record CountersignProperties(
    String apiKey,
    String baseUrl,
    @DefaultValue("5s") Duration timeout,
    @DefaultValue("1") int retries,
    @DefaultValue("5m") Duration cache,
    @DefaultValue("1000") int cacheEntries,
    @DefaultValue("30s") Duration notFoundCache,
    @DefaultValue("0s") Duration grace,
    Path graceFolder,
    @DefaultValue("false") boolean advisory,
    @DefaultValue("false") boolean allowSandbox,
    String version,
    String deviceId,
    Signing signing,
    @DefaultValue(CountersignProperties.DEFAULT_HEADER) String header,
    @DefaultValue("false") boolean required,
    List<String> skipPaths,
    @DefaultValue("10") int unknownKeysPerMinute,
    String webhookSecret) {
  static final String DEFAULT_HEADER = "X-License-Key";

  /** Checks what the client does not check. */
  public CountersignProperties {
    if (unknownKeysPerMinute < 0)
      throw new IllegalArgumentException("countersign.unknown-keys-per-minute must not be negative.");
    skipPaths = skipPaths == null ? List.of() : List.copyOf(skipPaths);
  }

  /**
   * Signed responses.
   *
   * @param productId The product's ID. If set, a response without a valid signature is rejected.
   * @param secrets The product's signing secret. During a rotation both, separated by a comma.
   */
  public record Signing(String productId, String secrets) {
    @Override
    public String toString() {
      return "Signing[productId=" + productId + "]";
    }
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "CountersignProperties[baseUrl=" + baseUrl + "]";
  }
}
