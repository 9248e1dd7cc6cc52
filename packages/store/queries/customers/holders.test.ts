import { expect, test } from "bun:test";
import { addLicense } from "../../../../tests/support/add-license.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-row.ts";
import { addTransfer } from "../transfers/transfers.ts";
import * as earlier from "./earlier-identities.ts";
import * as queries from "./holders.ts";
import { moveLicenses } from "./views.ts";

onBothDatabases("who had licenses before", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const give = (licenseId: string, customer_id: string | null) =>
    fixture.change("licenses", licenseId, { customer_id });
  const filled = async () => {
    const org = await fixture.organization();
    const [ada, bob] = [
      await fixture.customer(org.organizationId),
      await fixture.customer(org.organizationId),
    ];
    const license = await addLicense({ ...org, store: fixture.store }, { customerId: ada });
    return { ...org, ada, bob, id: license.id };
  };

  test("each time in which a license was a customer's ends with the change to another, without gaps", async () => {
    const { id, ada, bob } = await filled();
    const startMs = await fixture.store.clock();
    await fixture.write(async (db) => {
      for (const customer_id of [ada, bob, ada, bob])
        await db.updateTable("licenses").set({ customer_id }).where("id", "=", id).execute();
      await db.updateTable("licenses").set({ notes: "the same customer" }).where("id", "=", id).execute();
    });
    const [first, second] = (await read.tenuresOf([id], ada)).get(id) ?? [];
    const [between] = (await read.tenuresOf([id], bob)).get(id) ?? [];
    expect(first?.sinceMs).toBe(0);
    expect(between).toEqual({ sinceMs: Number(first?.untilMs), untilMs: Number(second?.sinceMs) });
    const times = [first, between, second].map((tenure) => Number(tenure?.untilMs));
    expect(times).toEqual([...new Set(times)].sort());
    expect(Number(times[0])).toBeGreaterThanOrEqual(startMs - 1);
    expect(Number(times[0])).toBeLessThanOrEqual((await fixture.store.clock()) + 1);
    expect((await read.heldSince([id, newId()], bob)).get(id)).toBe(Number(times[2]));
    // Ada lost it last, so it would be hers since she got it back.
    expect((await read.heldSince([id], ada)).get(id)).toBe(Number(between?.untilMs));
    expect(await read.heldSince([], ada)).toEqual(new Map());
    expect((await read.tenuresOf([], ada)).size).toBe(0);
  });

  test("a license without a customer was nobody's, and one that is deleted was still theirs", async () => {
    const { id, ada, bob, organizationId } = await filled();
    await give(id, null);
    await give(id, bob);
    expect([...(await read.tenuresOf([id], ada)).keys()]).toEqual([id]);
    expect(await fixture.rows("former_holders", { license_id: id })).toHaveLength(1);
    expect(await read.licensesWithHolder([id, newId()])).toMatchObject([{ id, customer_id: bob }]);
    await fixture.write((db) => db.deleteFrom("licenses").where("id", "=", id).execute());
    expect(await read.formerLicenses(ada, "", 5)).toEqual([{ license_id: id }]);
    expect(await read.formerLicenses(ada, id, 5)).toEqual([]);
    expect(await read.licensesWithHolder([id])).toEqual([]);
    expect(await read.licensesWithHolder([])).toEqual([]);
    expect(await fixture.rows("former_holders", { organization_id: organizationId })).toHaveLength(1);
  });

  test("a customer who becomes another one takes along what they have, had, gave away and received", async () => {
    const { id, ada, bob, organizationId, productId, ...org } = await filled();
    const other = await addLicense(
      { ...org, organizationId, productId, store: fixture.store },
      { customerId: ada },
    );
    await give(id, bob);
    const rows = [
      transferRow({
        organization_id: organizationId,
        product_id: productId,
        from_customer_id: ada,
        state: "rejected",
      }),
      transferRow({
        ...{ organization_id: organizationId, product_id: productId, to_customer_id: ada },
        ...{ state: "approved", decided_at: 7 },
      }),
    ];
    for (const row of rows) await fixture.write((db) => addTransfer(db, row));
    const later = await fixture.customer(organizationId);
    const move = { fromId: ada, toId: later };
    await fixture.write((db) => moveLicenses(db, organizationId, move, [other.id], Date.now()));
    expect(await read.formerLicenses(later, "", 5)).toEqual([{ license_id: other.id }]);
    await write.movePast(move);
    expect((await read.formerLicenses(later, "", 5)).map((row) => row.license_id)).toEqual(
      [id, other.id].sort(),
    );
    expect(await read.formerLicenses(ada, "", 5)).toEqual([]);
    // What they still have is theirs from the beginning.
    expect(await read.heldSince([other.id], later)).toEqual(new Map());
    expect(await fixture.rows("transfers", { from_customer_id: later })).toHaveLength(1);
    expect(await fixture.rows("transfers", { to_customer_id: later })).toHaveLength(1);
  });

  test("earlier email addresses, Discord IDs and IDs are known through every merge, unless they are another's now", async () => {
    const { organizationId } = await fixture.organization();
    const texts = [1, 2, 3].map((number) => `${newId()}-${number}@customers.example`);
    const taken = `${newId()}@customers.example`;
    await fixture.customer(organizationId, { email: taken });
    const customerId = await fixture.customer(organizationId, { email: String(texts[2]) });
    const [first, second] = [newId(), newId()];
    const changes: [subject: string, before: object, after: object][] = [
      [first, { email: texts[0], discord_id: "77" }, { email: taken, discord_id: null }],
      [second, { id: first, email: taken }, { id: second, email: texts[1] }],
      [customerId, { id: second, email: texts[1] }, { id: customerId, email: texts[2] }],
      [newId(), { email: "of@another.example" }, { email: "of2@another.example" }],
    ];
    await fixture.write((db) =>
      db
        .insertInto("audit_log")
        .values(
          changes.map(([subject_id, before, after], at) => ({
            ...{
              id: newId(),
              at,
              organization_id: organizationId,
              actor_kind: "system" as const,
              actor_id: null,
            },
            ...{
              actor_name: "Shop",
              access_token_id: null,
              action: "customer.updated",
              subject_kind: "customer",
            },
            ...{ subject_id, subject_name: null, ip: null, request_id: null },
            ...{ before: JSON.stringify(before), after: JSON.stringify(after) },
          })),
        )
        .execute(),
    );
    const { ids, emails, discordIds } = await fixture
      .queries(earlier)
      .read.earlierIdentities(organizationId, customerId);
    expect(ids).toEqual([second, first]);
    expect([...emails].sort()).toEqual(texts.toSorted());
    expect(discordIds).toEqual(["77"]);
  });
});
