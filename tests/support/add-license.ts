import { randomBytes } from "node:crypto";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { createLicenses, type NewLicense } from "@countersign/store/queries/licenses/create";
import type { ManageFixture } from "./manage-fixture.ts";
import { newId } from "./test-organization.ts";

export interface AddedLicense {
  readonly id: string;
  readonly key: string;
  readonly customerId: string | null;
}

/** Creates a license directly in the database, for tests of other features. */
export async function addLicense(
  fixture: Pick<ManageFixture, "store" | "organizationId" | "productId">,
  settings: Partial<NewLicense> & {
    readonly customer?: { email?: string; discordId?: string; name?: string };
  } = {},
): Promise<AddedLicense> {
  const { store, organizationId, productId } = fixture;
  const { customer, ...columns } = settings;
  const id = newId();
  const key = columns.key ?? generateLicenseKey(randomBytes);
  return store.transaction(async (db) => {
    const who = { email: null, discordId: null, name: null, ...customer };
    const customerId =
      customer === undefined
        ? (columns.customerId ?? null)
        : await customerFor(db, columns.organizationId ?? organizationId, who, newId, Date.now());
    await createLicenses(
      db,
      [{ organizationId, productId, maxIps: 100, ...columns, id, key, customerId }],
      Date.now(),
    );
    return { id, key, customerId };
  });
}
