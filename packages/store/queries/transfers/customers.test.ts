import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-fixture.ts";
import type { TransferRow } from "../../tables.ts";
import { customerFor } from "../customers/identify.ts";
import { eraseFromTransfers } from "./erase-customer.ts";
import * as queries from "./targets.ts";
import { type KnownTarget, keyOf } from "./targets.ts";
import { addTransfer, transferById } from "./transfers.ts";

onBothDatabases("customers in transfers", (fixture) => {
  const { read } = fixture.queries(queries);
  const customer = (organizationId: string, who: { email?: string; discordId?: string; name?: string }) =>
    fixture.write((db) =>
      customerFor(db, organizationId, { email: null, discordId: null, name: null, ...who }, newId, 1),
    );

  test("a recipient is known by email address in any letter case or by Discord ID, in the organization only", async () => {
    const [{ organizationId }, other] = [await fixture.organization(), await fixture.organization()];
    const [email, discordId] = [`grace-${newId()}@example.com`, newId()];
    const grace = { id: await customer(organizationId, { email, name: "Grace" }), name: "Grace" };
    const joan = { id: await customer(organizationId, { discordId }), name: null };
    await customer(other.organizationId, { email, name: "Someone" });
    const toEmail = { to_email: email.toUpperCase(), to_discord_id: null };
    const toDiscord = { to_email: null, to_discord_id: discordId };
    const unknown = { to_email: discordId, to_discord_id: null };
    for (const [target, known] of [
      [toEmail, grace],
      [toDiscord, joan],
      [unknown, null],
    ] as const)
      expect(await read.knownTarget(organizationId, target)).toEqual(known);
    expect(await read.knownTargets(organizationId, [toEmail, toDiscord, unknown, toEmail])).toEqual(
      new Map<string, KnownTarget>([
        [keyOf(toEmail), grace],
        [keyOf(toDiscord), joan],
      ]),
    );
    expect(await read.knownTargets(organizationId, [])).toEqual(new Map());
  });

  const gone = { from_email: null, from_name: null, from_discord_id: null, message: null };
  const [ada, grace] = ["Ada's ID", "Grace's ID"];
  const cases: [string, Partial<TransferRow>, Partial<TransferRow>][] = [
    ["that the customer requested", { from_customer_id: ada }, gone],
    ["to the customer", { to_customer_id: ada, state: "approved" }, { to_email: null, to_discord_id: null }],
    ["to the email address in another letter case", { to_email: "ADA@example.com" }, { to_email: null }],
    ["to the Discord ID", { to_email: null, to_discord_id: "42" }, { to_discord_id: null }],
    ["that the customer requested and that waits", { from_customer_id: ada, state: "pending" }, {}],
    ["to the customer that waits", { to_email: "ada@example.com", state: "pending" }, {}],
    ["of others", { to_email: "else@example.com", to_customer_id: grace }, {}],
  ];
  test.each(cases)("erasing a customer changes a transfer %s as it should", async (_, columns, changes) => {
    const [one, other] = [await fixture.organization(), await fixture.organization()];
    const rows = [one, other].map(({ organizationId, productId }) =>
      transferRow({
        organization_id: organizationId,
        product_id: productId,
        state: "rejected",
        from_customer_id: grace,
        ...columns,
      }),
    );
    const who =
      columns.to_discord_id === undefined
        ? { email: "Ada@example.com", discordId: null }
        : { email: null, discordId: "42" };
    await fixture.write(async (db) => {
      for (const row of rows) await addTransfer(db, row);
      await eraseFromTransfers(db, one.organizationId, { id: ada, ...who });
    });
    const [before, elsewhere] = rows;
    if (before === undefined || elsewhere === undefined) throw new Error("There are two transfers.");
    expect(await transferById(fixture.reads, before.id)).toEqual({ ...before, ...changes });
    // What another organization knows stays.
    expect(await transferById(fixture.reads, elsewhere.id)).toEqual(elsewhere);
  });
});
