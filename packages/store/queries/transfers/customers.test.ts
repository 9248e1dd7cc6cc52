import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-row.ts";
import type { TransferRow } from "../../tables.ts";
import { eraseFromTransfers } from "./erase-customer.ts";
import * as queries from "./targets.ts";
import { type KnownTarget, keyOf } from "./targets.ts";
import * as transfers from "./transfers.ts";
import { addTransfer } from "./transfers.ts";

onBothDatabases("customers in transfers", (fixture) => {
  const { read } = fixture.queries({ ...queries, ...transfers });
  test("a recipient is known by email address in any letter case or by Discord ID, in the organization only", async () => {
    const [{ organizationId }, other] = [await fixture.organization(), await fixture.organization()];
    const [email, discordId] = [`grace-${newId()}@example.com`, newId()];
    const grace = { id: await fixture.customer(organizationId, { email, name: "Grace" }), name: "Grace" };
    const joan = { id: await fixture.customer(organizationId, { discordId }), name: null };
    await fixture.customer(other.organizationId, { email, name: "Someone" });
    const toEmail = { to_email: email.toUpperCase(), to_discord_id: null };
    const toDiscord = { to_email: null, to_discord_id: discordId };
    const unknown = { to_email: discordId, to_discord_id: null };
    const known = await Promise.all(
      [toEmail, toDiscord, unknown].map((to) => read.knownTarget(organizationId, to)),
    );
    expect(known).toEqual([grace, joan, null]);
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
    const rows = [one, other].map(({ organizationId, productId }) => {
      const of = { organization_id: organizationId, product_id: productId, from_customer_id: grace };
      return transferRow({ ...of, state: "rejected", ...columns });
    });
    const hasDiscordId = columns.to_discord_id !== undefined;
    const who = { email: hasDiscordId ? null : "Ada@example.com", discordId: hasDiscordId ? "42" : null };
    await fixture.write(async (db) => {
      for (const row of rows) await addTransfer(db, row);
      await eraseFromTransfers(db, one.organizationId, { id: ada, ...who });
    });
    const [before, elsewhere] = rows;
    if (before === undefined || elsewhere === undefined) throw new Error("There are two transfers.");
    expect(await read.transferById(before.id)).toEqual({ ...before, ...changes });
    // What another organization knows stays.
    expect(await read.transferById(elsewhere.id)).toEqual(elsewhere);
  });
});
