import { randomBytes } from "node:crypto";
import { dayMs } from "@countersign/domain/dates/lengths";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { generateApiKey } from "@countersign/domain/products/api-key";
import type { ValidateStatus } from "@countersign/domain/validate/status";
import { newId } from "@countersign/store/new-id";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { createLicenses, type NewLicense, registerIp } from "@countersign/store/queries/licenses/create";
import type { Database, Store } from "@countersign/store/store";
import type { Role } from "./catalog.ts";
import { blankLicense, type SeededProduct, type SeededProducts } from "./populate.ts";

/** One request for every outcome that validate has, a few more for what products can do, and a lookup. */
export async function createExamples(store: Store, seededProducts: SeededProducts): Promise<Example[]> {
  const nowMs = await store.clock();
  return store.transaction(async (db) => {
    const builder = new ExampleBuilder(db, seededProducts, nowMs);
    return [...Object.values(await everyOutcome(builder, nowMs)), ...(await more(builder))];
  });
}

async function everyOutcome(
  builder: ExampleBuilder,
  nowMs: number,
): Promise<Record<ValidateStatus, Example>> {
  const expired = { expiresAtMs: nowMs - 7 * dayMs };
  const revoked = { revokedAtMs: nowMs - dayMs, revokedReason: "The customer asked for a refund." };
  const { key: unknownKey } = generateApiKey(randomBytes);
  return {
    active: await builder.example(
      "active",
      "plain",
      "The license is valid, and this machine's IP address is registered.",
    ),
    license_not_found: await builder.missing(
      "license_not_found",
      "plain",
      "The product has no license with this key.",
    ),
    revoked: await builder.example("revoked", "plain", "The license was revoked.", revoked),
    expired: await builder.example("expired", "plain", "The license expired a week ago.", expired),
    ip_blocked: await builder.blocked(
      "ip_blocked",
      "plain",
      "A block on this license covers every IP address.",
    ),
    ip_not_registered: await builder.occupied(
      "ip_not_registered",
      "allow_list",
      "Only IP addresses that the seller added can use this license, and this machine's is not one of them.",
      3,
    ),
    ip_limit_reached: await builder.occupied(
      "ip_limit_reached",
      "plain",
      "The license allows one IP address, and another machine uses it.",
      1,
    ),
    version_not_allowed: await builder.example(
      "version_not_allowed",
      "versions",
      "Version 2.2.4 is blocked for everyone.",
      {},
      "2.2.4",
    ),
    product_not_found: await builder.example(
      "product_not_found",
      "deleted",
      "The product of this API key was deleted.",
    ),
    product_archived: await builder.example("product_archived", "archived", "The product is archived."),
    product_disabled: await builder.example("product_disabled", "disabled", "The product is disabled."),
    org_suspended: await builder.example(
      "org_suspended",
      "suspended",
      "The operator suspended the organization.",
    ),
    billing_suspended: await builder.example(
      "billing_suspended",
      "unpaid",
      "The organization has not paid for its plan.",
    ),
    rate_limit_exceeded: await builder.example(
      "rate_limit_exceeded",
      "used_up",
      "The product has reached its limit of 10,000 requests a day. HTTP 429 until midnight UTC.",
    ),
    invalid_api_key: {
      ...(await builder.missing("invalid_api_key", "plain", "This API key does not exist. HTTP 401.")),
      apiKey: unknownKey,
    },
  };
}

async function more(builder: ExampleBuilder): Promise<Example[]> {
  const range = { pin: { mode: "range", min: "2.1", max: "2.3" } } as const;
  const plainLicense = await builder.example("active", "plain", "");
  return [
    await builder.example(
      "active",
      "signed",
      "The response is signed, so that the app can detect a forged one.",
    ),
    await builder.example(
      "active",
      "custom",
      "The response contains the product's custom data, filled in for this customer.",
    ),
    await builder.example(
      "active",
      "versions",
      "The license allows 2.1 up to 2.3, and the product allows 2.2.1.",
      range,
      "2.2.1",
    ),
    await builder.example(
      "version_not_allowed",
      "versions",
      "The product allows 2.0.5, but this license starts at 2.1.",
      range,
      "2.0.5",
    ),
    await builder.occupied(
      "ip_not_registered",
      "first_only",
      "The license registers only the first IP address that uses it.",
      3,
    ),
    await builder.example(
      "active",
      "nearly_used_up",
      "Fewer than 50 requests are left today: see the RateLimit header.",
    ),
    {
      ...plainLicense,
      outcome: "lookup",
      description: "The full record of a license. HTTP 200, and nothing is registered.",
      body: null,
    },
  ];
}

/** A request and its expected response. */
export interface Example {
  readonly outcome: ValidateStatus | "lookup";
  readonly description: string;
  readonly apiKey: string;
  readonly licenseKey: string;
  /** Null for a lookup, which has none. */
  readonly body: { readonly license_key: string; readonly version?: string } | null;
}

/** Creates the licenses for the examples. */
class ExampleBuilder {
  readonly #db: Database;
  readonly #seededProducts: SeededProducts;
  readonly #nowMs: number;
  #issued = 0;

  constructor(db: Database, seededProducts: SeededProducts, nowMs: number) {
    this.#db = db;
    this.#seededProducts = seededProducts;
    this.#nowMs = nowMs;
  }

  async example(
    outcome: ValidateStatus,
    role: Role,
    description: string,
    settings: Partial<NewLicense> = {},
    version?: string,
  ): Promise<Example> {
    const { key } = await this.#issue(role, settings);
    return this.#about(outcome, role, description, key, version);
  }

  async missing(outcome: ValidateStatus, role: Role, description: string): Promise<Example> {
    return this.#about(outcome, role, description, generateLicenseKey(randomBytes));
  }

  async occupied(outcome: ValidateStatus, role: Role, description: string, maxIps: number): Promise<Example> {
    const { id, key } = await this.#issue(role, { maxIps });
    await registerIp(this.#db, id, foreignIp, this.#nowMs);
    return this.#about(outcome, role, description, key);
  }

  async blocked(outcome: ValidateStatus, role: Role, description: string): Promise<Example> {
    const { id, key, organizationId } = await this.#issue(role, {});
    const scope = { tier: "license", organizationId, licenseId: id } as const;
    const note = "The key was posted in a forum.";
    // Every IP address: the caller may use IPv4, IPv6 or a container's network.
    const blocks = ["0.0.0.0/0", "::/0"].map((cidr) => ({
      id: newId(),
      scope,
      cidr,
      note,
      expiresAtMs: null,
    }));
    await addIpBlocks(this.#db, blocks, this.#nowMs);
    return this.#about(outcome, role, description, key);
  }

  async #issue(role: Role, settings: Partial<NewLicense>): Promise<NewLicense> {
    this.#issued += 1;
    const license = { ...blankLicense(this.#seeded(role), this.#issued), ...settings };
    await createLicenses(this.#db, [license], this.#nowMs);
    return license;
  }

  #about(outcome: ValidateStatus, role: Role, description: string, key: string, version?: string): Example {
    const body = version === undefined ? { license_key: key } : { license_key: key, version };
    return { outcome, description, apiKey: this.#seeded(role).apiKey, licenseKey: key, body };
  }

  #seeded(role: Role): SeededProduct {
    const seeded = this.#seededProducts.get(role);
    if (seeded === undefined) throw new Error(`The demo has no product for ${role}.`);
    return seeded;
  }
}

/** Reserved for documentation by RFC 5737, so that it is nobody's IP address. */
const foreignIp = "203.0.113.7";
