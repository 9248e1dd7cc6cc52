import type { DatabaseLocation } from "@countersign/store/open";
import { openSeller } from "../support/seller.ts";

/** A license that traffic asks about, and everything that may truthfully be said of it. */
export interface Subject {
  readonly id: string;
  readonly key: string;
  readonly truths: readonly string[];
}

export interface Subjects {
  readonly apiKey: string;
  readonly productId: string;
  readonly all: readonly Subject[];
}

export const placesEach = 3;

/** Makes a product with licenses of every kind, and lets go of the database again. */
export async function makeSubjects(location: DatabaseLocation, count: number): Promise<Subjects> {
  const seller = await openSeller(location, { settings: { signed_validation: 1 } });
  const all: Subject[] = [{ id: "", key: "0000-0000-0000-0000", truths: ["license_not_found"] }];
  for (let index = 0; index < count; index++) {
    const revoked = index % 5 === 4;
    const license = await seller.license({ maxIps: placesEach, revokedAtMs: revoked ? Date.now() : null });
    all.push({ ...license, truths: revoked ? ["revoked"] : ["active", "ip_limit_reached"] });
  }
  await seller.store.close();
  return { apiKey: seller.apiKey, productId: seller.productId, all };
}
