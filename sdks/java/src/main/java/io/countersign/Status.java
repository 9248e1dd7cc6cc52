package io.countersign;

import java.util.Locale;

/** The verdicts that this version of the SDK knows. {@link ValidateResult#status()} has the server's own text. */
public enum Status {
  /** The license is valid. */
  ACTIVE,
  /** The product has no license with this key. */
  LICENSE_NOT_FOUND,
  /** The seller revoked the license. */
  REVOKED,
  /** The license has expired. */
  EXPIRED,
  /** The caller's IP address is blocked. */
  IP_BLOCKED,
  /** The license has its maximum number of IP addresses, and the caller's is not one of them. */
  IP_LIMIT_REACHED,
  /** The license only works from registered IP addresses, and the caller's is not one of them. */
  IP_NOT_REGISTERED,
  /** The license does not cover the app's version. */
  VERSION_NOT_ALLOWED,
  /** The product of the API key does not exist. */
  PRODUCT_NOT_FOUND,
  /** The product is archived. */
  PRODUCT_ARCHIVED,
  /** The product is disabled. */
  PRODUCT_DISABLED,
  /** The seller's organization is suspended. */
  ORG_SUSPENDED,
  /** The seller's billing is suspended. */
  BILLING_SUSPENDED,
  /** A status that a newer server added. It never grants access. */
  UNKNOWN;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** The status as the server writes it, such as {@code license_not_found}. */
  public String code() {
    return code;
  }

  /** {@link #UNKNOWN} for a status that this version of the SDK does not know. */
  public static Status of(String code) {
    for (Status status : values()) if (status.code.equals(code)) return status;
    return UNKNOWN;
  }
}
