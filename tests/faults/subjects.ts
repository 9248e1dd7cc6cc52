import type { DatabaseLocation } from "@countersign/store/open";
import { openTestOrganization } from "../support/test-organization.ts";

/** A license that traffic validates, and every status that is correct for it. */
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

export const slotsEach = 3;

/** Creates a product with licenses of every kind, and closes the database. */
export async function makeSubjects(location: DatabaseLocation, count: number): Promise<Subjects> {
  const org = await openTestOrganization(location, { settings: { signed_validation: 1 } });
  const all: Subject[] = [{ id: "", key: "0000-0000-0000-0000", truths: ["license_not_found"] }];
  for (let index = 0; index < count; index++) {
    const revoked = index % 5 === 4;
    const license = await org.license({ maxIps: slotsEach, revokedAtMs: revoked ? Date.now() : null });
    all.push({ ...license, truths: revoked ? ["revoked"] : ["active", "ip_limit_reached"] });
  }
  await org.store.close();
  return { apiKey: org.apiKey, productId: org.productId, all };
}
