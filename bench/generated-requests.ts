import { uuidSource } from "@countersign/domain/ids/uuid";
import type { JournalEntry } from "@countersign/store/journal";
import { seededRandom } from "../tests/support/seeded-random.ts";

/** Who sends the generated requests. */
export interface Population {
  readonly organizations: readonly string[];
  readonly products: readonly string[];
  readonly licenses: readonly string[];
}

/**
 * A stream of requests that is the same for the same seed: a few large organizations and many small ones, licenses that
 * are used often and rarely, one to three IP addresses each, and one refusal in twelve requests.
 */
export class GeneratedRequests {
  readonly population: Population;
  readonly #random: () => number;
  readonly #newId: () => string;
  #atMs = 0;

  constructor(seed: number, sizes: { readonly organizations: number; readonly licenses: number }) {
    const random = seededRandom(seed);
    this.#random = random;
    this.#newId = uuidSource(
      () => this.#atMs,
      (bytes) => {
        for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
      },
    );
    const ids = (count: number) => Array.from({ length: count }, () => this.#newId());
    this.population = {
      organizations: ids(sizes.organizations),
      products: ids(sizes.organizations),
      licenses: ids(sizes.licenses),
    };
  }

  next(atMs: number): JournalEntry {
    this.#atMs = atMs;
    const { organizations, products, licenses } = this.population;
    // Squares prefer the first ones: a tenth of the licenses sends a third of the requests.
    const license = Math.floor(this.#random() ** 2 * licenses.length);
    const organization = Math.floor(
      (((license * 7_919) % licenses.length) ** 2 / licenses.length ** 2) * organizations.length,
    );
    const use = (license + Math.floor(this.#random() * (1 + (license % 3)))) * 2_654_435_761;
    const ip = `${11 + ((use >>> 24) % 200)}.${(use >>> 16) & 255}.${(use >>> 8) & 255}.${use & 255}`;
    const outcome = this.#random();
    const status =
      outcome < 0.92 ? "active" : (refusals[Math.floor(this.#random() * refusals.length)] ?? "expired");
    const isFound = status !== "license_not_found";
    const facts =
      status === "active" || !isFound ? null : '{"expires":null,"ip_count":3,"max_ips":3,"version":null}';
    const version = `${1 + (license % 3)}.${Math.floor(this.#random() * 6)}.0`;
    const device = license % 3 === 0 ? `device-${license}` : null;
    const durationUs = 300 + Math.floor(this.#random() * 900);
    return {
      at: atMs,
      id: this.#newId(),
      organization_id: organizations[organization] ?? "",
      product_id: products[organization] ?? "",
      license_id: isFound ? (licenses[license] ?? null) : null,
      endpoint: "validate",
      ...{ status, ip, version, device_id: device, problem: null },
      ...{ duration_us: durationUs, count: 1, sandbox: 0, facts, tracked: false },
    };
  }
}

const refusals = ["expired", "ip_limit_reached", "license_not_found", "revoked", "version_not_allowed"];
