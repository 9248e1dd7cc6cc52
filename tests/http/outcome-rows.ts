import type { BlockScope } from "@countersign/store/queries/ip-blocks/blocks";
import type { NewLicense } from "@countersign/store/queries/licenses/create";
import type { ProductSettings } from "@countersign/store/queries/products/products";
import type { OrganizationRow } from "@countersign/store/tables";

const past = Date.UTC(2020, 0, 2, 3, 4, 5, 6);
const future = Date.UTC(2040, 0, 2, 3, 4, 5, 6);
const otherIp = "192.0.2.1";
const callerIp = "127.0.0.1";

/** The members of the response that are not null. */
type Expected = Partial<{
  expires: string;
  ip_registered: boolean;
  ip_count: number;
  max_ips: number;
  version: string;
  version_valid: boolean;
  custom: object;
}>;

/** One case: the stored state, the request, and the response. */
export interface OutcomeRow {
  readonly name: string;
  readonly product?: Partial<ProductSettings>;
  readonly organization?: Partial<OrganizationRow>;
  readonly deleted?: true;
  /** Null for no license: the request then has an unknown key. */
  readonly license?: Partial<NewLicense> | null;
  readonly customer?: { email: string; name: string };
  /** The IP addresses that are registered before the request. */
  readonly registered?: readonly string[];
  /** Blocks the caller's IP address. */
  readonly block?: { tier: Exclude<BlockScope["tier"], "platform"> };
  readonly versions?: Readonly<Record<string, "allowed" | "deprecated" | "latest" | "blocked">>;
  readonly sends?: { version?: string };
  readonly status: string;
  readonly expected?: Expected;
  /** The IP addresses that are registered after the request, if the row checks that. */
  readonly ipsAfter?: readonly string[];
}

const firstIp = { ip_registered: true, ip_count: 1, max_ips: 3 };
const limited = { ip_count: 0, max_ips: 3 };
const refusedIp = { ip_registered: false, ...limited };
const checksVersions = { version_module_enabled: 1 } as const;
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
 * tested in packages/domain/validate, and what each depends on in packages/store/suite.
 */
export const outcomeRows: readonly OutcomeRow[] = [
  outcome("active", "a lifetime license is active, and the first IP address is registered", {
    expected: firstIp,
    ipsAfter: [callerIp],
  }),
  outcome("active", "a registered IP address is not registered again", {
    registered: [callerIp],
    expected: { ip_registered: false, ip_count: 1, max_ips: 3 },
    ipsAfter: [callerIp],
  }),
  outcome("active", "a license that expires in the future is active, and the response says when it expires", {
    license: { expiresAtMs: future },
    expected: { expires: "2040-01-02T03:04:05.006Z", ...firstIp },
  }),
  outcome("active", "a license without an IP limit registers no IP address and reports none", {
    license: { maxIps: null },
    ipsAfter: [],
  }),
  outcome("active", "a product that does not track IP addresses registers none and refuses none", {
    product: { track_ip_on_validate: 0 },
    license: { maxIps: 1 },
    registered: [otherIp],
    expected: { ip_registered: false, ip_count: 1, max_ips: 1 },
    ipsAfter: [otherIp],
  }),
  outcome("license_not_found", "an unknown license key is not found", { license: null }),
  outcome("revoked", "a revoked license is refused", {
    license: { revokedAtMs: past },
    expected: limited,
    ipsAfter: [],
  }),
  outcome("expired", "an expired license is refused", {
    license: { expiresAtMs: past },
    expected: { expires: "2020-01-02T03:04:05.006Z", ...limited },
    ipsAfter: [],
  }),
  outcome("active", "an expired license is active if the product does not enforce expiry", {
    product: { expiry_enforcement: 0 },
    license: { expiresAtMs: past },
    expected: { expires: "2020-01-02T03:04:05.006Z", ...firstIp },
  }),
  outcome("ip_blocked", "an IP address that is blocked for the organization is refused", {
    block: { tier: "organization" },
    expected: refusedIp,
    ipsAfter: [],
  }),
  outcome("ip_blocked", "a registered IP address is refused if it is blocked", {
    registered: [callerIp],
    block: { tier: "license" },
    expected: { ip_registered: false, ip_count: 1, max_ips: 3 },
  }),
  outcome("ip_limit_reached", "a new IP address is refused if the limit is reached", {
    license: { maxIps: 1 },
    registered: [otherIp],
    expected: { ip_registered: false, ip_count: 1, max_ips: 1 },
    ipsAfter: [otherIp],
  }),
  outcome("active", "the last IP address below the limit is registered", {
    license: { maxIps: 2 },
    registered: [otherIp],
    expected: { ip_registered: true, ip_count: 2, max_ips: 2 },
    ipsAfter: [callerIp, otherIp],
  }),
  outcome(
    "ip_not_registered",
    "an IP address that is not registered is refused if the product registers none",
    { product: { auto_register_ip_on_validate: 0 }, expected: refusedIp, ipsAfter: [] },
  ),
  outcome("ip_not_registered", "a second IP address is refused if the product registers only the first", {
    product: { auto_register_scope: "first_only" },
    registered: [otherIp],
    expected: { ip_registered: false, ip_count: 1, max_ips: 3 },
    ipsAfter: [otherIp],
  }),
  outcome("product_not_found", "a deleted product is not found", { deleted: true }),
  outcome("product_archived", "an archived product is refused", {
    product: { status: "archived" },
    ipsAfter: [],
  }),
  outcome("product_disabled", "a disabled product is refused", { product: { status: "disabled" } }),
  outcome("org_suspended", "a suspended organization is refused", { organization: { suspended_at: past } }),
  outcome("billing_suspended", "an organization with suspended billing is refused", {
    organization: { billing_state: "suspended" },
  }),
  outcome("active", "a version that the product allows is accepted", {
    product: checksVersions,
    versions: { "2.1.x": "allowed" },
    sends: { version: "2.1.7" },
    expected: { ...firstIp, version: "2.1.7", version_valid: true },
  }),
  outcome(
    "version_not_allowed",
    "a blocked version is refused without registering the IP address, and the response names the newest allowed version",
    {
      product: checksVersions,
      versions: { "2.0.x": "blocked", "2.1.0": "latest" },
      sends: { version: "2.0.1" },
      expected: { ...refusedIp, version: "2.1.0", version_valid: false },
      ipsAfter: [],
    },
  ),
  outcome("version_not_allowed", "the upper bound of the license's version range is refused", {
    product: checksVersions,
    license: { pin: { mode: "range", min: "2.1", max: "2.4" } },
    versions: { "2.x": "allowed" },
    sends: { version: "2.4.0" },
    expected: { ...refusedIp, version: "2.x", version_valid: false },
  }),
  outcome(
    "active",
    "the custom response of the product is merged with that of the license, and its placeholders are replaced",
    {
      product: respondsWith({ tier: "basic", mail: "{{customer.email}}", gone: 1 }),
      license: { customOverride: '{"tier":"gold","gone":null}' },
      customer: { email: "Buyer@Example.com", name: "Buyer" },
      expected: { ...firstIp, custom: { tier: "gold", mail: "Buyer@Example.com" } },
    },
  ),
  outcome("active", "a custom response without members is null", {
    product: respondsWith({ gone: 1 }),
    license: { customOverride: '{"gone":null}' },
    expected: firstIp,
  }),
  outcome("revoked", "a refusal has no custom response", {
    product: respondsWith({ tier: "basic" }),
    license: { revokedAtMs: past },
    expected: limited,
  }),
  outcome("revoked", "a refusal has the custom response if the product says so", {
    product: { ...respondsWith({ tier: "basic" }), custom_response_on_refusal: 1 },
    license: { revokedAtMs: past },
    expected: { ...limited, custom: { tier: "basic" } },
  }),
];
