import { type ValidateStatus, validateStatuses } from "../validate/status.ts";

/** What a validation can end with: a status, or the 503 of a server whose database is unavailable. */
type SandboxStatus = ValidateStatus | "unavailable";

/** Variants of a license that is valid. */
type SandboxVariant = "new_ip" | "any_ip" | "lifetime" | "old_version";

/** A license key that gives the same result with every test API key. */
export interface SandboxLicense {
  readonly licenseKey: string;
  /** The result of validating it. */
  readonly status: SandboxStatus;
  /** Distinguishes the keys that are `active`. */
  readonly variant: SandboxVariant | null;
  readonly httpStatus: number;
  /** The HTTP status of looking it up. */
  readonly lookupHttpStatus: number;
  readonly description: string;
}

export const sandboxStatuses: readonly SandboxStatus[] = [...validateStatuses, "unavailable"];

const descriptions: Record<SandboxStatus, string> = {
  active: "Valid. Expires in 30 days. The IP address is one of three, and registered already.",
  version_not_allowed: "The version is not allowed.",
  ip_limit_reached: "All three IP addresses of the license are in use.",
  ip_not_registered: "The IP address is not registered, and the product registers no new ones.",
  ip_blocked: "The IP address is blocked.",
  expired: "The license expired 30 days ago.",
  revoked: "The license was revoked.",
  license_not_found: "The product has no such license.",
  product_disabled: "The product is disabled.",
  product_archived: "The product is archived.",
  billing_suspended: "The organization's billing is suspended.",
  org_suspended: "The organization is suspended.",
  product_not_found: "The product was deleted.",
  rate_limit_exceeded: "The daily limit is used up.",
  invalid_api_key: "The API key is wrong, or was revoked.",
  unavailable: "The server is temporarily unavailable.",
};

const variantDescriptions: Record<SandboxVariant, string> = {
  new_ip: "Valid. The request registers the IP address, as the second of three.",
  any_ip: "Valid. The license does not limit IP addresses.",
  lifetime: "Valid. The license never expires.",
  old_version: "Valid. The version is reported as not allowed, but the product does not enforce it.",
};

/** The results that are not a 200, at both endpoints. */
const failures: Partial<Record<SandboxStatus, number>> = {
  invalid_api_key: 401,
  rate_limit_exceeded: 429,
  unavailable: 503,
};

/** Every fixed license key, the valid ones first. Any other key is not found. */
export const sandboxLicenses: readonly SandboxLicense[] = [
  license("active", null),
  ...(Object.keys(variantDescriptions) as SandboxVariant[]).map((variant) => license("active", variant)),
  ...(Object.keys(descriptions) as SandboxStatus[])
    .filter((status) => status !== "active")
    .map((status) => license(status, null)),
];

const byKey: ReadonlyMap<string, SandboxLicense> = new Map(
  sandboxLicenses.map((one) => [one.licenseKey, one]),
);

/** The fixed license with this key, in the form in which keys are compared. */
export function sandboxLicense(keyMatch: string | null): SandboxLicense | null {
  return keyMatch === null ? null : (byKey.get(keyMatch) ?? null);
}

function license(status: SandboxStatus, variant: SandboxVariant | null): SandboxLicense {
  const name = variant === null ? status : `${status}_${variant}`;
  // A lookup finds the license of a product that rejects validations, unless the product was deleted.
  const isFound = status !== "license_not_found" && status !== "product_not_found";
  return {
    licenseKey: `SANDBOX-${name.toUpperCase().replaceAll("_", "-")}`,
    status,
    variant,
    httpStatus: failures[status] ?? 200,
    lookupHttpStatus: failures[status] ?? (isFound ? 200 : 404),
    description: variant === null ? descriptions[status] : variantDescriptions[variant],
  };
}
