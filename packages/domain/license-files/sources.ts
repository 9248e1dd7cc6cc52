import type { ImportField } from "./columns.ts";

/** Services whose exports can be imported as they are. */
export const importSourceIds = [
  "keygen",
  "lukittu",
  "cryptlex",
  "licensegate",
  "lemon-squeezy",
  "gumroad",
] as const;

export type ImportSourceId = (typeof importSourceIds)[number];

/** What a column of an export says about a license. In JSON, a column is a path such as `attributes.key`. */
export type ColumnRule =
  /** A field. Several columns can have the same: of most fields the first that is not empty counts. */
  | ImportField
  /** A field, unless another column has a value. */
  | { readonly field: ImportField; readonly unless: string }
  /** What each value says about the status. Any other value is an error, because it could mean "refused". */
  | { readonly status: Readonly<Record<string, "active" | "expired" | "revoked">>; readonly unless?: string }
  /** A member of the metadata with this name. Of a list of objects, the values of `each`. */
  | { readonly member: string; readonly each?: string }
  /** A term from the first use, in units of so many seconds, for licenses without an expiry date. */
  | { readonly termOf: number }
  /** The product, which has to be the same in the whole file. */
  | { readonly only: "one" }
  /** Rows with these values are no licenses of their own. */
  | { readonly skip: readonly string[] }
  /** The ID of another record in the file, which has columns of its own. */
  | { readonly record: RelatedType };

type RelatedType = "users" | "policies";

interface RelatedRecord {
  readonly columns: Readonly<Record<string, ColumnRule>>;
  /** Columns that say the same: if one has a value, the other record is not needed. Null if it never is. */
  readonly unless: string | null;
}

/** Why a column is not imported. */
type LeftOut = "machines" | "usage" | "rules" | "follows" | "technical" | "money";

/** How the export of a service is read. docs/migrating says the same for people, and where each fact is from. */
export interface ImportSource {
  readonly name: string;
  /** The arrays of a JSON document that hold its records. */
  readonly lists: readonly string[];
  /** The `type` of a license, where the file can have records of several types. */
  readonly type?: string;
  readonly columns: Readonly<Record<string, ColumnRule>>;
  readonly related?: Readonly<Partial<Record<RelatedType, RelatedRecord>>>;
  readonly leftOut: Readonly<Record<string, LeftOut>>;
  /** Rows without a key are sales of something else. Elsewhere they are errors. */
  readonly skipsRowsWithoutKey?: true;
  /** Columns that no other service has. */
  readonly signature: readonly string[];
}

const daySeconds = 86_400;

const keygen: ImportSource = {
  name: "Keygen",
  lists: ["data", "included", ""],
  type: "licenses",
  columns: {
    "attributes.key": "license_key",
    "attributes.status": {
      status: {
        ...{ ACTIVE: "active", INACTIVE: "active", EXPIRING: "active" },
        ...{ EXPIRED: "expired", SUSPENDED: "revoked", BANNED: "revoked" },
      },
    },
    "attributes.suspended": { status: { false: "active", true: "revoked" } },
    "attributes.expiry": "expires_at",
    "attributes.created": "created_at",
    "attributes.name": "notes",
    "attributes.metadata": "metadata",
    "attributes.maxMachines": { member: "keygen_max_machines" },
    "attributes.maxUses": { member: "keygen_max_uses" },
    id: { member: "keygen_id" },
    "relationships.owner.data.id": { record: "users" },
    "relationships.user.data.id": { record: "users" },
    "relationships.policy.data.id": { record: "policies" },
    "relationships.product.data.id": { only: "one" },
  },
  related: {
    users: {
      columns: { "attributes.email": "customer_email", "attributes.fullName": "customer_name" },
      unless: null,
    },
    policies: {
      columns: { "attributes.duration": { termOf: 1 }, "attributes.name": { member: "keygen_policy" } },
      // A license whose time starts with its first use has no expiry before, as one that never expires.
      unless: "attributes.expiry",
    },
  },
  leftOut: {
    ...{ "attributes.maxProcesses": "machines", "attributes.maxCores": "machines" },
    ...{ "attributes.maxUsers": "machines", "attributes.floating": "machines" },
    ...{ "attributes.maxMemory": "machines", "attributes.maxDisk": "machines" },
    ...{ "attributes.requireHeartbeat": "machines", "attributes.lastCheckOut": "machines" },
    ...{ "attributes.requireCheckIn": "rules", "attributes.lastCheckIn": "rules" },
    ...{ "attributes.nextCheckIn": "rules", "attributes.strict": "rules", "attributes.protected": "rules" },
    ...{ "attributes.permissions": "rules", "attributes.uses": "usage", "attributes.lastValidated": "usage" },
    ...{ "attributes.scheme": "technical", "attributes.encrypted": "technical" },
    ...{ "attributes.version": "technical", "attributes.updated": "technical" },
  },
  signature: ["attributes.key", "attributes.expiry", "attributes.maxMachines"],
};

const lukittu: ImportSource = {
  name: "Lukittu",
  lists: ["data.licenses", "licenses", ""],
  columns: {
    licenseKey: "license_key",
    suspended: { status: { false: "active", true: "revoked" } },
    expirationDate: "expires_at",
    expirationDays: { termOf: daySeconds },
    ipLimit: "max_ips",
    "customers.0.email": "customer_email",
    "customers.0.fullName": "customer_name",
    "customers.0.username": "customer_name",
    createdAt: "created_at",
    metadata: "metadata",
    products: { member: "lukittu_products", each: "name" },
    hwidLimit: { member: "lukittu_hwid_limit" },
    id: { member: "lukittu_id" },
  },
  leftOut: {
    ...{ expirationType: "follows", expirationStart: "follows", seats: "machines", lastActiveAt: "usage" },
    ...{ teamId: "technical", createdByUserId: "technical", updatedAt: "technical" },
  },
  signature: ["licenseKey", "expirationType"],
};

const cryptlex: ImportSource = {
  name: "Cryptlex",
  lists: ["", "data"],
  columns: {
    key: "license_key",
    revoked: { status: { false: "active", true: "revoked" } },
    suspended: { status: { false: "active", true: "revoked" } },
    expiresAt: "expires_at",
    validity: { termOf: 1 },
    "user.email": "customer_email",
    "user.name": "customer_name",
    notes: "notes",
    tags: "tags",
    metadata: "metadata",
    createdAt: "created_at",
    allowedActivations: { member: "cryptlex_allowed_activations" },
    type: { member: "cryptlex_type" },
    id: { member: "cryptlex_id" },
    productId: { only: "one" },
  },
  leftOut: {
    ...{ totalActivations: "usage", totalDeactivations: "usage", meterAttributes: "usage" },
    ...{ allowedDeactivations: "machines", allowedFloatingClients: "machines", leaseDuration: "machines" },
    ...{ leasingStrategy: "machines", fingerprintMatchingStrategy: "machines", userLocked: "machines" },
    ...{ allowVmActivation: "machines", allowContainerActivation: "machines" },
    ...{ expirationStrategy: "rules", maintenanceExpiresAt: "rules", maintenancePolicyId: "rules" },
    ...{ maxAllowedReleaseVersion: "rules", allowedIpAddresses: "rules", disallowedIpAddresses: "rules" },
    ...{ allowedIpRanges: "rules", allowedCountries: "rules", disallowedCountries: "rules" },
    ...{ reseller: "rules", additionalUserIds: "rules", licensePolicyId: "technical" },
    ...{ userId: "technical", productVersionId: "technical", updatedAt: "technical" },
  },
  signature: ["key", "allowedActivations"],
};

const licenseGate: ImportSource = {
  name: "LicenseGate",
  lists: ["licenses", ""],
  columns: {
    licenseKey: "license_key",
    active: { status: { true: "active", false: "revoked" } },
    expirationDate: "expires_at",
    ipLimit: "max_ips",
    name: "notes",
    notes: "notes",
    createdAt: "created_at",
    licenseScope: { member: "licensegate_scope" },
    id: { member: "licensegate_id" },
  },
  leftOut: {
    ...{ validationPoints: "usage", validationLimit: "rules", replenishAmount: "rules" },
    ...{ replenishInterval: "rules", logs: "usage", userId: "technical" },
  },
  signature: ["licenseKey", "validationPoints"],
};

const lemonSqueezy: ImportSource = {
  name: "Lemon Squeezy",
  lists: ["data", ""],
  type: "license-keys",
  columns: {
    "attributes.key": "license_key",
    "attributes.status": {
      status: { inactive: "active", active: "active", expired: "expired", disabled: "revoked" },
    },
    "attributes.disabled": { status: { 0: "active", false: "active", 1: "revoked", true: "revoked" } },
    "attributes.expires_at": "expires_at",
    "attributes.user_email": "customer_email",
    "attributes.user_name": "customer_name",
    "attributes.created_at": "created_at",
    "attributes.activation_limit": { member: "lemon_squeezy_activation_limit" },
    "attributes.order_id": { member: "lemon_squeezy_order_id" },
    id: { member: "lemon_squeezy_id" },
    "attributes.product_id": { only: "one" },
    "attributes.test_mode": { skip: ["true", "1"] },
  },
  leftOut: {
    ...{ "attributes.instances_count": "usage", "attributes.key_short": "technical" },
    ...{ "attributes.status_formatted": "follows", "attributes.store_id": "technical" },
    ...{ "attributes.customer_id": "technical", "attributes.order_item_id": "technical" },
    ...{ "attributes.updated_at": "technical" },
  },
  signature: ["attributes.key", "attributes.key_short"],
};

const gumroad: ImportSource = {
  name: "Gumroad",
  lists: [],
  columns: {
    "License Key": "license_key",
    "Giftee Email": "customer_email",
    "Purchase Email": "customer_email",
    // Of a gift, it is the name of the giver.
    "Buyer Name": { field: "customer_name", unless: "Giftee Email" },
    "Fully Refunded?": { status: { 0: "active", 1: "revoked" } },
    "Disputed?": { status: { 0: "active", 1: "revoked" }, unless: "Dispute Won?" },
    "Access Revoked?": { status: { 0: "active", 1: "revoked" } },
    "License Key Enabled?": { status: { 1: "active", 0: "revoked" } },
    "Subscription End Date": "expires_at",
    "Purchase Time (UTC timezone)": "created_at",
    "Purchase Date": "created_at",
    Recurrence: "tags",
    Variants: { member: "gumroad_variants" },
    "Order Number": { member: "gumroad_order_number" },
    "Purchase ID": { member: "gumroad_purchase_id" },
    "Recurring Charge?": { skip: ["1"] },
    "Product ID": { only: "one" },
  },
  leftOut: {
    ...{
      "Item Name": "technical",
      "SKU ID": "technical",
      "Buyer Email": "follows",
      "Dispute Won?": "follows",
    },
    ...{
      "Refunded?": "follows",
      "Partial Refund ($)": "money",
      "Sale Price ($)": "money",
      Quantity: "rules",
    },
    ...{ "License Key Activation Count": "usage", "Cancellation Date": "follows" },
  },
  // Also the last row, with the totals.
  skipsRowsWithoutKey: true,
  signature: ["License Key", "Purchase Email"],
};

export const importSources: Readonly<Record<ImportSourceId, ImportSource>> = {
  keygen,
  lukittu,
  cryptlex,
  licensegate: licenseGate,
  "lemon-squeezy": lemonSqueezy,
  gumroad,
};

/** The service whose export has such columns. Null if no or several have them. */
export function sourceOf(columns: readonly string[]): ImportSourceId | null {
  const has = new Set(columns.map((column) => column.trim()));
  const matching = importSourceIds.filter((id) => importSources[id].signature.every((name) => has.has(name)));
  return matching.length === 1 ? (matching[0] ?? null) : null;
}
