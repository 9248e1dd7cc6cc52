import type { Plan } from "@countersign/domain/quota/limit";
import type { BlockScope } from "@countersign/store/queries/ip-blocks/blocks";
import type { NewLicense } from "@countersign/store/queries/licenses/create";
import type { ProductSettings } from "@countersign/store/queries/products/products";
import type { OrganizationRow } from "@countersign/store/tables";

export const past = Date.UTC(2020, 0, 2, 3, 4, 5, 6);
const future = Date.UTC(2040, 0, 2, 3, 4, 5, 6);
const elsewhere = "192.0.2.1";
const here = "127.0.0.1";

/** The members that say something; every other one must be null. */
type Expected = Partial<{
  expires: string;
  ip_registered: boolean;
  ip_count: number;
  max_ips: number;
  version: string;
  version_valid: boolean;
  custom: object;
}>;

/** One case: what there is, what is sent, and all that may be told. */
export interface OutcomeRow {
  readonly says: string;
  readonly plan?: Plan;
  readonly product?: Partial<ProductSettings>;
  readonly organization?: Partial<OrganizationRow>;
  readonly deleted?: true;
  /** None is made when this is null; the request then names a key that nobody has. */
  readonly license?: Partial<NewLicense> | null;
  readonly customer?: { email: string; name: string };
  /** Addresses that hold a place already. */
  readonly registered?: readonly string[];
  readonly block?: { tier: BlockScope["tier"]; cidr?: string; expiresAtMs?: number };
  readonly versions?: Readonly<Record<string, "allowed" | "deprecated" | "latest" | "blocked">>;
  readonly sends?: { version?: string; device_id?: string };
  readonly status: string;
  readonly expected?: Expected;
  /** The addresses registered afterwards, where that is not obvious from the row. */
  readonly ipsAfter?: readonly string[];
}

const limited = { ip_count: 0, max_ips: 3 };
const gated = { version_module_enabled: 1 } as const;
const templated = (response: object): Partial<ProductSettings> => ({
  custom_response_enabled: 1,
  custom_response: JSON.stringify(response),
});

export const outcomeRows: readonly OutcomeRow[] = [
  {
    says: "a lifetime license is active and the first address takes a place",
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3 },
    ipsAfter: [here],
  },
  {
    says: "an address that holds a place is not registered again",
    registered: [here],
    status: "active",
    expected: { ip_registered: false, ip_count: 1, max_ips: 3 },
    ipsAfter: [here],
  },
  {
    says: "a license that expires later tells when",
    license: { expiresAtMs: future },
    status: "active",
    expected: { expires: "2040-01-02T03:04:05.006Z", ip_registered: true, ip_count: 1, max_ips: 3 },
  },
  {
    says: "without the IP system nothing is said of addresses",
    license: { maxIps: null },
    status: "active",
    ipsAfter: [],
  },
  {
    says: "with tracking off nothing is recorded and nobody is refused",
    product: { track_ip_on_validate: 0 },
    license: { maxIps: 1 },
    registered: [elsewhere],
    status: "active",
    expected: { ip_registered: false, ip_count: 1, max_ips: 1 },
    ipsAfter: [elsewhere],
  },
  { says: "a key that nobody has is not found", license: null, status: "license_not_found" },
  {
    says: "a revoked license is refused",
    license: { revokedAtMs: past },
    status: "revoked",
    expected: limited,
    ipsAfter: [],
  },
  {
    says: "an expired license is refused",
    license: { expiresAtMs: past },
    status: "expired",
    expected: { expires: "2020-01-02T03:04:05.006Z", ...limited },
    ipsAfter: [],
  },
  {
    says: "an expired license passes when expiry is not enforced",
    product: { expiry_enforcement: 0 },
    license: { expiresAtMs: past },
    status: "active",
    expected: { expires: "2020-01-02T03:04:05.006Z", ip_registered: true, ip_count: 1, max_ips: 3 },
  },
  {
    says: "revoked wins over expired and blocked",
    license: { expiresAtMs: past, revokedAtMs: past },
    block: { tier: "organization" },
    status: "revoked",
    expected: { expires: "2020-01-02T03:04:05.006Z", ...limited },
  },
  {
    says: "expired wins over blocked",
    license: { expiresAtMs: past },
    block: { tier: "license" },
    status: "expired",
    expected: { expires: "2020-01-02T03:04:05.006Z", ...limited },
  },
  ...(["platform", "organization", "license"] as const).map(
    (tier): OutcomeRow => ({
      says: `an address blocked for the ${tier} is refused`,
      block: { tier },
      status: "ip_blocked",
      expected: { ip_registered: false, ...limited },
      ipsAfter: [],
    }),
  ),
  {
    says: "an address blocked for the customer is refused",
    customer: { email: "buyer@example.com", name: "Buyer" },
    block: { tier: "customer" },
    status: "ip_blocked",
    expected: { ip_registered: false, ...limited },
  },
  {
    says: "a block covers a whole network",
    block: { tier: "organization", cidr: "127.0.0.0/8" },
    status: "ip_blocked",
    expected: { ip_registered: false, ...limited },
  },
  {
    says: "a block wins over a place that the address holds",
    registered: [here],
    block: { tier: "license" },
    status: "ip_blocked",
    expected: { ip_registered: false, ip_count: 1, max_ips: 3 },
  },
  {
    says: "a block applies where the IP system is off",
    license: { maxIps: null },
    block: { tier: "license" },
    status: "ip_blocked",
  },
  {
    says: "a block applies where tracking is off",
    product: { track_ip_on_validate: 0 },
    block: { tier: "organization" },
    status: "ip_blocked",
    expected: { ip_registered: false, ...limited },
  },
  {
    says: "a block that has ended no longer applies",
    block: { tier: "organization", expiresAtMs: past },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3 },
  },
  {
    says: "a full license refuses a new address",
    license: { maxIps: 1 },
    registered: [elsewhere],
    status: "ip_limit_reached",
    expected: { ip_registered: false, ip_count: 1, max_ips: 1 },
    ipsAfter: [elsewhere],
  },
  {
    says: "the last free place is given away",
    license: { maxIps: 2 },
    registered: [elsewhere],
    status: "active",
    expected: { ip_registered: true, ip_count: 2, max_ips: 2 },
    ipsAfter: [here, elsewhere],
  },
  {
    says: "an allow-list refuses whom it does not name",
    product: { auto_register_ip_on_validate: 0 },
    status: "ip_not_registered",
    expected: { ip_registered: false, ...limited },
    ipsAfter: [],
  },
  {
    says: "an allow-list lets in whom it names",
    product: { auto_register_ip_on_validate: 0 },
    registered: [here],
    status: "active",
    expected: { ip_registered: false, ip_count: 1, max_ips: 3 },
  },
  {
    says: "a full allow-list still says that the address is not registered",
    product: { auto_register_ip_on_validate: 0 },
    license: { maxIps: 1 },
    registered: [elsewhere],
    status: "ip_not_registered",
    expected: { ip_registered: false, ip_count: 1, max_ips: 1 },
  },
  {
    says: "first only: the first address takes a place",
    product: { auto_register_scope: "first_only" },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3 },
  },
  {
    says: "first only: a second address is not registered",
    product: { auto_register_scope: "first_only" },
    registered: [elsewhere],
    status: "ip_not_registered",
    expected: { ip_registered: false, ip_count: 1, max_ips: 3 },
    ipsAfter: [elsewhere],
  },
  {
    says: "first only: a full license says so",
    product: { auto_register_scope: "first_only" },
    license: { maxIps: 1 },
    registered: [elsewhere],
    status: "ip_limit_reached",
    expected: { ip_registered: false, ip_count: 1, max_ips: 1 },
  },
  { says: "a deleted product is not found", deleted: true, status: "product_not_found" },
  {
    says: "an archived product is refused",
    product: { status: "archived" },
    status: "product_archived",
    ipsAfter: [],
  },
  { says: "a disabled product is refused", product: { status: "disabled" }, status: "product_disabled" },
  {
    says: "a suspended organization is refused",
    organization: { suspended_at: past },
    status: "org_suspended",
  },
  {
    says: "suspended billing is refused",
    organization: { billing_state: "suspended" },
    status: "billing_suspended",
  },
  {
    says: "billing in its days of grace is served",
    organization: { billing_state: "grace" },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3 },
  },
  {
    says: "a deleted product wins over a suspended organization",
    deleted: true,
    organization: { suspended_at: past, billing_state: "suspended" },
    status: "product_not_found",
  },
  {
    says: "a suspended organization wins over suspended billing",
    organization: { suspended_at: past, billing_state: "suspended" },
    status: "org_suspended",
  },
  {
    says: "suspended billing wins over an archived product",
    organization: { billing_state: "suspended" },
    product: { status: "archived" },
    status: "billing_suspended",
  },
  {
    says: "an archived product wins over an unknown key",
    product: { status: "archived" },
    license: null,
    status: "product_archived",
  },
  {
    says: "a disabled product wins over a revoked license",
    product: { status: "disabled" },
    license: { revokedAtMs: past },
    status: "product_disabled",
  },
  {
    says: "a version that the product allows is accepted",
    product: gated,
    versions: { "2.1.x": "allowed" },
    sends: { version: "2.1.7" },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3, version: "2.1.7", version_valid: true },
  },
  {
    says: "a deprecated version is accepted",
    product: gated,
    versions: { "2.0.x": "deprecated", "2.1.0": "latest" },
    sends: { version: "v2.0.1" },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3, version: "v2.0.1", version_valid: true },
  },
  {
    says: "a blocked version is refused, takes no place and is told the newest it may run",
    product: gated,
    versions: { "2.0.x": "blocked", "2.1.0": "latest" },
    sends: { version: "2.0.1" },
    status: "version_not_allowed",
    expected: { ip_registered: false, ...limited, version: "2.1.0", version_valid: false },
    ipsAfter: [],
  },
  {
    says: "a version without a record is refused",
    product: gated,
    versions: {},
    sends: { version: "9.9.9" },
    status: "version_not_allowed",
    expected: { ip_registered: false, ...limited, version_valid: false },
  },
  {
    says: "what is no version is refused",
    product: gated,
    versions: { "2.1.0": "allowed" },
    sends: { version: "latest!" },
    status: "version_not_allowed",
    expected: { ip_registered: false, ...limited, version: "2.1.0", version_valid: false },
  },
  {
    says: "a product that only reports versions lets a blocked one pass",
    product: { ...gated, version_enforcement: "report" },
    versions: { "2.0.x": "blocked" },
    sends: { version: "2.0.1" },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3, version_valid: false },
  },
  {
    says: "a pin narrows what the product allows",
    product: gated,
    license: { pin: { mode: "pinned", version: "2.1.0" } },
    versions: { "2.x": "allowed" },
    sends: { version: "2.2.0" },
    status: "version_not_allowed",
    expected: { ip_registered: false, ...limited, version: "2.1.0", version_valid: false },
  },
  {
    says: "a range leaves out its upper bound",
    product: gated,
    license: { pin: { mode: "range", min: "2.1", max: "2.4" } },
    versions: { "2.x": "allowed" },
    sends: { version: "2.4.0" },
    status: "version_not_allowed",
    expected: { ip_registered: false, ...limited, version: "2.x", version_valid: false },
  },
  {
    says: "a range holds its lower bound",
    product: gated,
    license: { pin: { mode: "range", min: "2.1", max: "2.4" } },
    versions: { "2.x": "allowed" },
    sends: { version: "2.1.0" },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3, version: "2.1.0", version_valid: true },
  },
  {
    says: "an address that is refused is told so before the version is",
    product: gated,
    license: { maxIps: 1 },
    registered: [elsewhere],
    versions: { "2.0.x": "blocked" },
    sends: { version: "2.0.1" },
    status: "ip_limit_reached",
    expected: { ip_registered: false, ip_count: 1, max_ips: 1, version_valid: false },
  },
  {
    says: "a version means nothing where the module is off",
    versions: { "2.0.x": "blocked" },
    sends: { version: "2.0.1" },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3 },
  },
  {
    says: "a version means nothing on the Free plan",
    plan: "free",
    product: gated,
    versions: { "2.0.x": "blocked" },
    sends: { version: "2.0.1" },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3 },
  },
  {
    says: "a custom response is merged with the license's own and filled in",
    product: templated({ tier: "basic", mail: "{{customer.email}}", gone: 1 }),
    license: { customOverride: '{"tier":"gold","gone":null}' },
    customer: { email: "Buyer@Example.com", name: "Buyer" },
    status: "active",
    expected: {
      ip_registered: true,
      ip_count: 1,
      max_ips: 3,
      custom: { tier: "gold", mail: "Buyer@Example.com" },
    },
  },
  {
    says: "a custom response that comes to nothing is null",
    product: templated({ gone: 1 }),
    license: { customOverride: '{"gone":null}' },
    status: "active",
    expected: { ip_registered: true, ip_count: 1, max_ips: 3 },
  },
  {
    says: "a refusal carries no custom response",
    product: templated({ tier: "basic" }),
    license: { revokedAtMs: past },
    status: "revoked",
    expected: limited,
  },
  {
    says: "a refusal carries the custom response where the product wants it",
    product: { ...templated({ tier: "basic" }), custom_response_on_refusal: 1 },
    license: { revokedAtMs: past },
    status: "revoked",
    expected: { ...limited, custom: { tier: "basic" } },
  },
  {
    says: "the device id decides nothing",
    license: { revokedAtMs: past },
    sends: { device_id: "machine-1" },
    status: "revoked",
    expected: limited,
  },
];
