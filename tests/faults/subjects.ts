import type { DatabaseLocation } from "@countersign/store/open";
import { openTestOrganization } from "../support/test-organization.ts";
import type { Subject } from "./traffic.ts";

export interface Subjects {
  readonly productId: string;
  readonly all: readonly Subject[];
}

export const slotsEach = 3;

/** Creates a product with licenses of every kind, and closes the database. */
export async function makeSubjects(location: DatabaseLocation, count: number): Promise<Subjects> {
  const { store, productId, apiKey, license } = await openTestOrganization(location, {
    settings: { signed_validation: 1 },
  });
  const common = { apiKey, isSigned: true } as const;
  const unknown = { ...common, id: "", key: "0000-0000-0000-0000", truths: ["license_not_found"] };
  const all: Subject[] = [unknown];
  for (let index = 0; index < count; index++) {
    const revoked = index % 5 === 4;
    const made = await license({ maxIps: slotsEach, revokedAtMs: revoked ? Date.now() : null });
    all.push({ ...common, ...made, truths: revoked ? ["revoked"] : ["active", "ip_limit_reached"] });
  }
  await store.close();
  return { productId, all };
}
