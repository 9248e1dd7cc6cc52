import { expect, test } from "bun:test";
import type { KyselyPlugin } from "kysely";
import { postgres } from "../../../../tests/support/databases.ts";
import { openTestOrganization } from "../../../../tests/support/test-organization.ts";
import { customerFor } from "./identify.ts";

test("a customer who is removed between being found and being read is created again", async () => {
  const database = await postgres.make();
  const { store, organizationId } = await openTestOrganization(database.location);
  const who = { email: "gone@example.com", discordId: null, name: null };
  const before = crypto.randomUUID();
  await store.transaction((db) =>
    db
      .insertInto("customers")
      .values({
        id: before,
        organization_id: organizationId,
        email: who.email,
        discord_id: null,
        created_at: 0,
      })
      .execute(),
  );
  let statements = 0;
  const removing: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1;
      // The first statement has found the customer and changed nothing.
      if (statements === 1) await store.reads.deleteFrom("customers").where("id", "=", before).execute();
      return result;
    },
  };
  const id = await store.transaction((db) =>
    customerFor(db.withPlugin(removing), organizationId, who, () => crypto.randomUUID(), Date.now()),
  );
  expect(id).not.toBe(before);
  const there = await store.reads
    .selectFrom("customers")
    .select("id")
    .where("email", "=", who.email)
    .execute();
  expect(there).toEqual([{ id }]);
  await store.close();
  database.remove();
}, 60_000);
