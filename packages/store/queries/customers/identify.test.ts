import { expect, test } from "bun:test";
import type { KyselyPlugin } from "kysely";
import { databases, postgres } from "../../../../tests/support/databases.ts";
import { openTestOrganization } from "../../../../tests/support/test-organization.ts";
import { customerFor, knownCustomerId } from "./identify.ts";

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

test.each(databases)(
  "a customer is found by their email address in the organization only, on $kind",
  async ({ make }) => {
    const database = await make();
    const { store, organizationId } = await openTestOrganization(database.location);
    const organization = await store.reads
      .selectFrom("organizations")
      .selectAll()
      .where("id", "=", organizationId)
      .executeTakeFirstOrThrow();
    const others = [crypto.randomUUID(), crypto.randomUUID()];
    const who = { email: "Ada@example.com", discordId: null, name: null };
    const newId = () => crypto.randomUUID();
    const ids = await store.transaction(async (db) => {
      for (const id of others)
        await db
          .insertInto("organizations")
          .values({ ...organization, id, slug: id })
          .execute();
      const found: string[] = [];
      for (const id of [others[0] ?? "", organizationId])
        found.push(await customerFor(db, id, who, newId, Date.now()));
      return found;
    });
    const known = [others[0] ?? "", organizationId, others[1] ?? ""].map((id) =>
      knownCustomerId(store.reads, id, who),
    );
    expect(await Promise.all(known)).toEqual([...ids, null]);
    await store.close();
    database.remove();
  },
  60_000,
);
