import { expect, test } from "bun:test";
import type { KyselyPlugin } from "kysely";
import { onBothDatabases, type QueryFixture, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { customersInBulk, identifierOf } from "./bulk.ts";
import {
  type CustomerIdentifiers,
  customerCreatedAt,
  customerFor,
  customerIdFor,
  customersFor,
  knownCustomerId,
  removeUnknownCustomers,
} from "./identify.ts";
import * as queries from "./views.ts";

type Some = Partial<CustomerIdentifiers>;
const person = (who: Some): CustomerIdentifiers => ({ email: null, discordId: null, name: null, ...who });

/** Both ways to identify customers: those of a few licenses, and those of an import. */
const ways: [string, (fixture: QueryFixture, organizationId: string, people: Some[]) => Promise<string[]>][] =
  [
    [
      "one by one",
      (fixture, organizationId, people) =>
        fixture.write((db) => customersFor(db, organizationId, people.map(person), newId, 7)),
    ],
    [
      "in bulk",
      async (fixture, organizationId, people) => {
        const all = people.map(person);
        const found = await fixture.write((db) =>
          customersInBulk(db, fixture.store.bulk, organizationId, all, newId, 7),
        );
        return all.map((who) => found.get(identifierOf(who))?.id ?? "");
      },
    ],
  ];

onBothDatabases("customers", (fixture) => {
  const { read, write } = fixture.queries(queries);
  test.each(ways)(
    "identified %s are the same by email address in any case, and else by Discord ID",
    async (_, identify) => {
      const { organizationId } = await fixture.organization();
      const discordId = newId();
      const email = `Ada.${newId()}@Example.com`;
      const ids = await identify(fixture, organizationId, [
        { email },
        { email: ` ${email.toUpperCase()} `, discordId },
        { discordId },
      ]);
      expect(ids[0]).toBe(ids[1] as string);
      expect(ids[2]).not.toBe(ids[0] as string);
      // An email address and a known Discord ID on one license do not merge two customers.
      const [both = ""] = await identify(fixture, organizationId, [{ email: `new-${email}`, discordId }]);
      expect(ids).not.toContain(both);
      expect(await identify(fixture, organizationId, [{ discordId }, { email }])).toEqual([
        ids[2],
        ids[0],
      ] as string[]);
      const other = await fixture.organization();
      const theirs = await identify(fixture, other.organizationId, [{ email }, { discordId }]);
      for (const id of theirs) expect(ids).not.toContain(id);
    },
  );

  test.each(ways)("identified %s keep values that are not specified", async (_, identify) => {
    const { organizationId } = await fixture.organization();
    const email = `${newId()}@example.com`;
    const [id = ""] = await identify(fixture, organizationId, [
      { email, name: "Ada" },
      { email, discordId: "5" },
    ]);
    const view = () => read.customerOf(organizationId, id);
    expect(await view()).toMatchObject({ email, name: "Ada", discord_id: "5" });
    await identify(fixture, organizationId, [{ email: email.toUpperCase(), name: "Grace" }]);
    const search_text = `${email}\ngrace\n5`;
    expect(await view()).toMatchObject({
      email: email.toUpperCase(),
      name: "Grace",
      discord_id: "5",
      search_text,
    });
  });

  test.each(ways)("identified %s by two transactions at once are created once", async (_, identify) => {
    const { organizationId } = await fixture.organization();
    const people = Array.from({ length: 30 }, () => ({ email: `${newId()}@example.com` }));
    const [first, second] = await Promise.all([
      identify(fixture, organizationId, people),
      identify(fixture, organizationId, people.toReversed()),
    ]);
    expect(second?.toReversed()).toEqual(first as string[]);
    expect(new Set(first).size).toBe(30);
  });

  test("are found by their email address in the organization only", async () => {
    const [ours, theirs, none] = await several(3, () => fixture.organization());
    const who = person({ email: `Ada.${newId()}@example.com` });
    const ids = [];
    for (const { organizationId } of [ours, theirs])
      ids.push(await fixture.write((db) => customerFor(db, organizationId, who, newId, 9)));
    const known = [ours, theirs, none].map(({ organizationId }) =>
      knownCustomerId(fixture.reads, organizationId, who),
    );
    expect(await Promise.all(known)).toEqual([...ids, null]);
    expect(await customerCreatedAt(fixture.reads, ids[0] ?? "")).toBe(9);
    expect(await customerCreatedAt(fixture.reads, "none")).toBeNull();
  });

  test("are removed if nothing refers to them, while others with the same email address are created", async () => {
    const [ours, theirs] = [await fixture.organization(), await fixture.organization()];
    const emails = [1, 2, 3].map(() => `${newId()}@example.com`);
    const idsIn = (organizationId: string) =>
      fixture.write((db) =>
        customersFor(
          db,
          organizationId,
          emails.map((email) => person({ email })),
          newId,
          1,
        ),
      );
    const [alone = "", recorded = "", licensed = ""] = await idsIn(ours.organizationId);
    for (const id of [alone, licensed]) await write.removeCustomerView(ours.organizationId, id);
    await ours.license({ customerId: licensed });
    const [removed, others] = await Promise.all([
      fixture.write((db) => removeUnknownCustomers(db, [alone, recorded, licensed, alone])),
      idsIn(theirs.organizationId),
    ]);
    expect(removed).toEqual([{ email: emails[0] ?? "", discord_id: null }]);
    expect(await idsIn(theirs.organizationId)).toEqual(others);
    const again = await fixture.write((db) =>
      customerIdFor(db, ours.organizationId, { email: emails[0] ?? "", discordId: null }, newId, 2),
    );
    expect(again).not.toBe(alone);
  });

  // Only there can others write while a transaction is open.
  if (fixture.kind === "postgres") {
    test("who are removed between being found and being read are created again", async () => {
      const { organizationId } = await fixture.organization();
      const who = person({ email: `${newId()}@example.com` });
      const before = newId();
      const row = {
        id: before,
        organization_id: organizationId,
        email: who.email,
        discord_id: null,
        created_at: 0,
      };
      await fixture.write((db) => db.insertInto("customers").values(row).execute());
      let statements = 0;
      const removing: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          statements += 1;
          // The first statement has found the customer and changed nothing.
          if (statements === 1)
            await fixture.reads.deleteFrom("customers").where("id", "=", before).execute();
          return result;
        },
      };
      const id = await fixture.write((db) =>
        customerFor(db.withPlugin(removing), organizationId, who, newId, Date.now()),
      );
      expect(id).not.toBe(before);
      expect(await knownCustomerId(fixture.reads, organizationId, who)).toBe(id);
    });
  }
});
