import { expect, test } from "bun:test";
import type { KyselyPlugin } from "kysely";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as bulk from "./bulk.ts";
import * as queries from "./identify.ts";
import { customerFor } from "./identify.ts";
import * as views from "./views.ts";

type Some = Partial<queries.CustomerIdentifiers>;
const nobody = { email: null, discordId: null, name: null };
const person = (who: Some): queries.CustomerIdentifiers => ({ ...nobody, ...who });

onBothDatabases("customers", (fixture) => {
  const { read, write } = fixture.queries({ ...bulk, ...queries, ...views });

  type Identify = (organizationId: string, people: Some[]) => Promise<string[]>;
  /** Both ways to identify customers: those of a few licenses, and those of an import. */
  const ways: [string, Identify][] = [
    ["one by one", (organizationId, who) => write.customersFor(organizationId, who.map(person), newId, 7)],
    [
      "in bulk",
      async (organizationId, who) => {
        const all = who.map(person);
        const found = await write.customersInBulk(organizationId, all, {
          bulk: fixture.store.bulk,
          newId,
          nowMs: 7,
        });
        return all.map((one) => found.get(bulk.identifierOf(one))?.id ?? "");
      },
    ],
  ];

  test.each(ways)(
    "customers identified %s are the same by email address, and else by Discord ID",
    async (_, identify) => {
      const { organizationId } = await fixture.organization();
      const discordId = newId();
      const email = `Ada.${newId()}@Example.com`;
      const ids = await identify(organizationId, [
        { email },
        { email: ` ${email.toUpperCase()} `, discordId },
        { discordId },
      ]);
      expect(ids[0]).toBe(ids[1] as string);
      expect(ids[2]).not.toBe(ids[0] as string);
      // An email address and a known Discord ID on one license do not merge two customers.
      const [both = ""] = await identify(organizationId, [{ email: `new-${email}`, discordId }]);
      expect(ids).not.toContain(both);
      const again = await identify(organizationId, [{ discordId }, { email }]);
      expect(again).toEqual([ids[2], ids[0]] as string[]);
      const other = await fixture.organization();
      const theirs = await identify(other.organizationId, [{ email }, { discordId }]);
      for (const id of theirs) expect(ids).not.toContain(id);
    },
  );

  test.each(ways)("customers identified %s keep values that are not specified", async (_, identify) => {
    const { organizationId } = await fixture.organization();
    const email = `${newId()}@example.com`;
    const first = [
      { email, name: "Ada" },
      { email, discordId: "5" },
    ];
    const [id = ""] = await identify(organizationId, first);
    const view = () => read.customerOf(organizationId, id);
    expect(await view()).toMatchObject({ email, name: "Ada", discord_id: "5" });
    const upper = email.toUpperCase();
    await identify(organizationId, [{ email: upper, name: "Grace" }]);
    const search_text = `${email}\ngrace\n5`;
    expect(await view()).toMatchObject({ email: upper, name: "Grace", discord_id: "5", search_text });
  });

  test.each(ways)("customers identified %s twice at once are created once", async (_, identify) => {
    const { organizationId } = await fixture.organization();
    const people = Array.from({ length: 30 }, () => ({ email: `${newId()}@example.com` }));
    const [first, second] = await Promise.all([
      identify(organizationId, people),
      identify(organizationId, people.toReversed()),
    ]);
    expect(second?.toReversed()).toEqual(first as string[]);
    expect(new Set(first).size).toBe(30);
  });

  test("customers are found by their email address in the organization only", async () => {
    const [ours, theirs, none] = await several(3, () => fixture.organization());
    const who = person({ email: `Ada.${newId()}@example.com` });
    const ids = [];
    for (const { organizationId } of [ours, theirs])
      ids.push(await write.customerFor(organizationId, who, newId, 9));
    const known = [ours, theirs, none].map(({ organizationId }) => read.knownCustomerId(organizationId, who));
    expect(await Promise.all(known)).toEqual([...ids, null]);
    expect(await read.customerCreatedAt(ids[0] ?? "")).toBe(9);
    expect(await read.customerCreatedAt("none")).toBeNull();
  });

  test("customers are removed if nothing refers to them, while others with the same email address are created", async () => {
    const [ours, theirs] = [await fixture.organization(), await fixture.organization()];
    const emails = [1, 2, 3].map(() => `${newId()}@example.com`);
    const people = emails.map((email) => person({ email }));
    const idsIn = (organizationId: string) => write.customersFor(organizationId, people, newId, 1);
    const [alone = "", recorded = "", licensed = ""] = await idsIn(ours.organizationId);
    for (const id of [alone, licensed]) await write.removeCustomerView(ours.organizationId, id);
    await ours.license({ customerId: licensed });
    const [removed, others] = await Promise.all([
      write.removeUnknownCustomers([alone, recorded, licensed, alone]),
      idsIn(theirs.organizationId),
    ]);
    expect(removed).toEqual([{ email: emails[0] ?? "", discord_id: null }]);
    expect(await idsIn(theirs.organizationId)).toEqual(others);
    const who = { email: emails[0] ?? "", discordId: null };
    const again = await write.customerIdFor(ours.organizationId, who, newId, 2);
    expect(again).not.toBe(alone);
  });

  // Only there can others write while a transaction is open.
  if (fixture.kind === "postgres") {
    test("customers who are removed between being found and being read are created again", async () => {
      const { organizationId } = await fixture.organization();
      const who = person({ email: `${newId()}@example.com` });
      const before = await write.customerFor(organizationId, who, newId, 0);
      await write.removeCustomerView(organizationId, before);
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
      expect(await read.knownCustomerId(organizationId, who)).toBe(id);
    });
  }
});
