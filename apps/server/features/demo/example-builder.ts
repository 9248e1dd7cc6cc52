import { randomBytes } from "node:crypto";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import type { ValidateStatus } from "@countersign/domain/validate/status";
import { newId } from "@countersign/store/new-id";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { createLicenses, type NewLicense, registerIp } from "@countersign/store/queries/licenses/create";
import type { Database } from "@countersign/store/store";
import type { Role } from "./catalog.ts";
import { blankLicense, type SeededProduct, type SeededProducts } from "./populate.ts";

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
export class ExampleBuilder {
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
