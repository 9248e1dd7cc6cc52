import type { NewLicense } from "@countersign/store/queries/licenses/create";
import type { ProductSettings } from "@countersign/store/queries/products/products";
import type { OrganizationRow } from "@countersign/store/tables/organizations";

const past = Date.UTC(2020, 0, 2, 3, 4, 5, 6);
const future = Date.UTC(2040, 0, 2, 3, 4, 5, 6);
const otherIp = "192.0.2.1";

/** One case: the state of the database before the request, the request, and the response. */
export interface OutcomeRow {
  readonly name: string;
  readonly organization?: Partial<OrganizationRow>;
  readonly product?: Partial<ProductSettings>;
  readonly isProductDeleted?: true;
  readonly versions?: Readonly<Record<string, "allowed" | "deprecated" | "latest" | "blocked">>;
  /** Null for no license: the request then has an unknown key. */
  readonly license?: Partial<NewLicense> | null;
  readonly customer?: { readonly email: string; readonly name: string };
  readonly registeredIps?: readonly string[];
  readonly isCallerBlocked?: true;
  readonly version?: string;
  readonly status: string;
  /** The members of the response that are not null. */
  readonly expected?: Partial<{
    expires: string;
    ip_registered: boolean;
    ip_count: number;
    max_ips: number;
    version: string;
    version_valid: boolean;
    custom: object;
  }>;
}

const firstOfThree = { ip_registered: true, ip_count: 1, max_ips: 3 };
const noneOfThree = { ip_count: 0, max_ips: 3 };
const notRegistered = { ip_registered: false, ...noneOfThree };
const respondsWith = (response: object): Partial<ProductSettings> => ({
  custom_response_enabled: 1,
  custom_response: JSON.stringify(response),
});
const outcome = (
  status: string,
  name: string,
  row: Omit<OutcomeRow, "name" | "status"> = {},
): OutcomeRow => ({ name, status, ...row });

/**
 * At least one case for each status and each member of the response. The order of precedence and all combinations are
 * tested in packages/domain/validate, and how each depends on the database in packages/store/suite.
 */
export const outcomeRows: readonly OutcomeRow[] = [
  outcome("active", "a lifetime license is active, and the first IP address is registered", {
    expected: firstOfThree,
  }),
  outcome("active", "the response has the expiry of an active license, and the version that is allowed", {
    product: { version_module_enabled: 1 },
    license: { expiresAtMs: future },
    versions: { "2.1.x": "allowed" },
    version: "2.1.7",
    expected: {
      ...firstOfThree,
      expires: "2040-01-02T03:04:05.006Z",
      version: "2.1.7",
      version_valid: true,
    },
  }),
  outcome(
    "active",
    "the custom response of the product is merged with that of the license, and its placeholders are replaced",
    {
      product: respondsWith({ tier: "basic", mail: "{{customer.email}}", gone: 1 }),
      license: { customOverride: '{"tier":"gold","gone":null}' },
      customer: { email: "Buyer@Example.com", name: "Buyer" },
      expected: { ...firstOfThree, custom: { tier: "gold", mail: "Buyer@Example.com" } },
    },
  ),
  outcome("license_not_found", "an unknown license key is not found", { license: null }),
  outcome("revoked", "a revoked license is refused", {
    product: respondsWith({ tier: "basic" }),
    license: { revokedAtMs: past },
    expected: noneOfThree,
  }),
  outcome("revoked", "a refusal has the custom response if the product says so", {
    product: { ...respondsWith({ tier: "basic" }), custom_response_on_refusal: 1 },
    license: { revokedAtMs: past },
    expected: { ...noneOfThree, custom: { tier: "basic" } },
  }),
  outcome("expired", "an expired license is refused", {
    license: { expiresAtMs: past },
    expected: { expires: "2020-01-02T03:04:05.006Z", ...noneOfThree },
  }),
  outcome("ip_blocked", "an IP address that is blocked for the license is refused", {
    isCallerBlocked: true,
    expected: notRegistered,
  }),
  outcome("ip_limit_reached", "a new IP address is refused if the limit is reached", {
    license: { maxIps: 1 },
    registeredIps: [otherIp],
    expected: { ip_registered: false, ip_count: 1, max_ips: 1 },
  }),
  outcome("ip_not_registered", "a new IP address is refused if the product registers none", {
    product: { auto_register_ip_on_validate: 0 },
    expected: notRegistered,
  }),
  outcome("product_not_found", "a deleted product is not found", { isProductDeleted: true }),
  outcome("product_archived", "an archived product is refused", { product: { status: "archived" } }),
  outcome("product_disabled", "a disabled product is refused", { product: { status: "disabled" } }),
  outcome("org_suspended", "a suspended organization is refused", { organization: { suspended_at: past } }),
  outcome("billing_suspended", "an organization with suspended billing is refused", {
    organization: { billing_state: "suspended" },
  }),
  outcome(
    "version_not_allowed",
    "a blocked version is refused without registering the IP address, and the response names the newest allowed version",
    {
      product: { version_module_enabled: 1 },
      versions: { "2.0.x": "blocked", "2.1.0": "latest" },
      version: "2.0.1",
      expected: { ...notRegistered, version: "2.1.0", version_valid: false },
    },
  ),
];
