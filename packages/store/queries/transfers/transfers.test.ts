import { expect, test } from "bun:test";
import { addPortalPerson } from "../../../../tests/support/portal-rows.ts";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-row.ts";
import type { TransferRow } from "../../tables/portal.ts";
import * as branding from "../branding/branding.ts";
import { addIpBlocks } from "../ip-blocks/blocks.ts";
import * as transfers from "./transfers.ts";
import * as views from "./views.ts";

const nowMs = Date.UTC(2030, 0, 1);

onBothDatabases("transfers", (fixture) => {
  const { read, write } = fixture.queries({ ...branding, ...transfers, ...views });
  const addTo = async (
    { organizationId, productId }: Pick<TestOrganization, "organizationId" | "productId">,
    columns: Partial<TransferRow> = {},
  ) => {
    const of = { organization_id: organizationId, product_id: productId };
    const row = transferRow({ ...of, requested_at: nowMs, ...columns });
    await write.addTransfer(row);
    return row;
  };
  const add = async (columns: Partial<TransferRow> = {}) => addTo(await fixture.organization(), columns);
  const remove = (table: "products" | "organizations", id: string) =>
    fixture.change(table, id, { deleted_at: 1 });
  const approved = (atMs: number) => ({ state: "approved", requested_at: atMs, decided_at: atMs }) as const;

  const decided = { decided_by: "organization", decided_by_name: "Grace", reason: null } as const;
  const decision = { state: "approved", ...decided, to_customer_id: "someone" } as const;
  const decide = (id: string, atMs = nowMs + 5) => write.decideTransfer(id, decision, atMs);

  test("a transfer that waits is decided once, also by several at once, and its time of change always increases", async () => {
    const row = await add();
    const answers = await Promise.all([decide(row.id), decide(row.id), decide(row.id)]);
    const expected = { ...row, ...decision, decided_at: nowMs + 5, updated_at: nowMs + 5 };
    expect(answers.filter((one) => one !== undefined)).toEqual([expected]);
    expect(await read.transferById(row.id)).toEqual(expected);
    const early = await add();
    expect(await decide(early.id, nowMs - 5)).toMatchObject({ decided_at: nowMs - 5, updated_at: nowMs + 1 });
    for (const state of ["approved", "rejected", "cancelled"] as const) {
      const ended = await add({ state });
      expect(await decide(ended.id)).toBeUndefined();
      expect(await read.transferById(ended.id)).toEqual(ended);
    }
  });

  test("at most one transfer of a license waits, and it is found by the license", async () => {
    const organization = await fixture.organization();
    const [waiting, ended] = [await addTo(organization), await addTo(organization, { state: "rejected" })];
    await addTo(organization, { state: "rejected", license_id: waiting.license_id });
    expect(addTo(organization, { license_id: waiting.license_id })).rejects.toThrow();
    expect(await read.pendingTransferOf(waiting.license_id)).toEqual(waiting);
    expect(await read.pendingTransferOf(ended.license_id)).toBeUndefined();
    const licenses = [waiting.license_id, ended.license_id, newId()];
    expect(await read.licensesInTransfer(licenses)).toEqual(new Set([waiting.license_id]));
    expect(await read.licensesInTransfer([])).toEqual(new Set());
  });

  test("the last requests of a license are listed newest first, whatever their state is now", async () => {
    const organization = await fixture.organization();
    const { license_id } = await addTo(organization, { state: "rejected" });
    for (const [at, state] of (["cancelled", "approved", "pending"] as const).entries())
      await addTo(organization, { license_id, state, requested_at: nowMs + at + 1 });
    await addTo(organization);
    const last = (limit: number) => read.lastRequests(license_id, limit);
    expect(await last(3)).toEqual([nowMs + 3, nowMs + 2, nowMs + 1]);
    expect(await last(9)).toHaveLength(4);
  });

  test("the last transfer of a license is the latest that was approved", async () => {
    const organization = await fixture.organization();
    const [{ id: license_id }, { id: never }] = [await organization.license(), await organization.license()];
    await addTo(organization, { license_id, ...approved(nowMs) });
    const last = await addTo(organization, { license_id, ...approved(nowMs + 1) });
    await addTo(organization, { license_id, state: "rejected", decided_at: nowMs + 2 });
    await addTo(organization, { license_id: never });
    expect(await read.lastTransferredAt(license_id)).toBe(nowMs + 1);
    expect(await read.lastTransferredAt(never)).toBeNull();
    expect(await read.lastTransfers([license_id, never])).toEqual([last]);
    expect(await read.lastTransfers([])).toEqual([]);
  });

  test("transfers are outdated that wait for a deleted license, or one of another customer than who requested it", async () => {
    const organization = await fixture.organization();
    const [mine, others] = await several(2, () => fixture.customer(organization.organizationId));
    const transferOf = async (customerId: string | null, columns: Partial<TransferRow> = {}) => {
      const { id } = await organization.license({ customerId });
      return addTo(organization, { license_id: id, from_customer_id: mine, ...columns });
    };
    const current = await transferOf(mine);
    const outdated = [await transferOf(others), await transferOf(null), await addTo(organization)];
    const ended = await transferOf(others, { state: "rejected" });
    const asked = [current, ended, ...outdated].map((row) => row.license_id);
    const many = Array.from({ length: 600 }, newId);
    const found = await read.outdatedTransfers([...asked, ...many]);
    expect(idsOf(found).sort()).toEqual(idsOf(outdated).sort());
    expect(idsOf(await read.outdatedTransfers([...many, ...asked])).sort()).toEqual(idsOf(outdated).sort());
    expect(await read.outdatedTransfers([])).toEqual([]);
  });

  test("a portal account is named by what it requested, until that is no longer recorded", async () => {
    const organization = await fixture.organization();
    const [person, other] = [newId(), newId()];
    const waiting = await addTo(organization, { requested_by: person });
    const ended = await addTo(organization, { requested_by: person, state: "rejected" });
    const theirs = await addTo(organization, { requested_by: other });
    expect(await read.pendingTransfersOfPerson(person)).toEqual([waiting]);
    await write.removeRequester(person);
    for (const row of [waiting, ended])
      expect(await read.transferById(row.id)).toEqual({ ...row, requested_by: null });
    expect(await read.transferById(theirs.id)).toEqual(theirs);
  });

  test("a portal account has lost the transfers that wait for licenses of customers that it is not, or no longer", async () => {
    const organization = await fixture.organization();
    const [email, lost, discordId] = [`${newId()}@example.com`, `${newId()}@example.com`, newId()];
    const { personId } = await addPortalPerson(fixture.store, {
      emails: [email, lost],
      discordIds: [discordId],
    });
    const from = async (who: { email?: string; discordId?: string }, columns: Partial<TransferRow> = {}) => {
      const from_customer_id = await fixture.customer(organization.organizationId, who);
      return addTo(organization, { requested_by: personId, from_customer_id, ...columns });
    };
    await from({ email });
    await from({ discordId });
    const others = await from({ email: `${newId()}@example.com` });
    const second = await from({ email: lost });
    await from({ email: lost }, { state: "rejected" });
    await from({ email: lost }, { requested_by: newId() });
    expect(await read.lostTransfersOfPerson(personId)).toEqual([others]);
    await fixture.write((db) =>
      db
        .deleteFrom("portal_identities")
        .where("person_id", "=", personId)
        .where("value", "=", lost)
        .execute(),
    );
    expect(idsOf(await read.lostTransfersOfPerson(personId)).sort()).toEqual(idsOf([others, second]).sort());
  });

  test("a portal account's transfers are listed in pages, newest first, with the seller's name for customers", async () => {
    const [one, other, gone] = await several(3, () => fixture.organization());
    const person = newId();
    const rows = [
      await addTo(one, { requested_by: person }),
      await addTo(other, { requested_by: person, state: "approved" }),
      await addTo(one, { requested_by: person }),
    ].toReversed();
    const hidden = [
      await addTo({ ...one, ...(await one.product()) }, { requested_by: person }),
      await addTo(gone, { requested_by: person }),
    ];
    await addTo(one, { requested_by: newId() });
    await remove("products", hidden[0]?.product_id ?? "");
    await remove("organizations", gone.organizationId);
    await write.saveBranding(other.organizationId, { display_name: "Studio Nine" }, 1);
    const page = (beforeId: string | null, limit: number) =>
      read.transfersOfPerson(person, { beforeId, limit });
    const all = await page(null, 50);
    const names = { product_name: "Test Product", seller_name: "Test Organization" };
    const named = (row: TransferRow) =>
      row.organization_id === one.organizationId ? names : { ...names, seller_name: "Studio Nine" };
    expect(all).toEqual(rows.map((row) => ({ ...row, ...named(row) })));
    expect(await page(null, 2)).toEqual(all.slice(0, 2));
    expect(await page(String(all[1]?.id), 2)).toEqual(all.slice(2));
    expect(await read.portalTransferView(String(all[0]?.id))).toEqual(all[0]);
    for (const { id } of hidden) expect(await read.portalTransferView(id)).toBeUndefined();
  });

  test("an organization's transfers are listed in pages, newest first, by state and license, and exported oldest first", async () => {
    const organization = await fixture.organization();
    const { organizationId } = organization;
    const license_id = newId();
    const { id: oldest } = await addTo(organization, { license_id, state: "rejected" });
    const { id: middle } = await addTo(organization, { state: "rejected" });
    const { id: newest } = await addTo(organization, { license_id });
    await add({ license_id, state: "rejected" });
    const deleted = await organization.product();
    const hidden = await addTo({ ...organization, ...deleted });
    await remove("products", deleted.productId);
    const list = async (filter: object, page: { beforeId?: string; limit?: number } = {}) => {
      const all = { organizationId, state: null, licenseId: null, ...filter };
      return idsOf(await read.transferPage(all, { beforeId: null, limit: 50, ...page }));
    };
    expect(await list({})).toEqual([newest, middle, oldest]);
    expect(await list({ state: "pending" })).toEqual([newest]);
    expect(await list({ state: "rejected" })).toEqual([middle, oldest]);
    expect(await list({ licenseId: license_id })).toEqual([newest, oldest]);
    expect(await list({ licenseId: license_id, state: "rejected" })).toEqual([oldest]);
    expect(await list({}, { limit: 2 })).toEqual([newest, middle]);
    expect(await list({}, { beforeId: middle, limit: 2 })).toEqual([oldest]);
    const exported = async (afterId: string | null, limit: number) =>
      idsOf(await read.transfersToExport(organizationId, afterId, limit));
    expect(await exported(null, 2)).toEqual([oldest, middle]);
    expect(await exported(middle, 2)).toEqual([newest]);
    expect(await read.transferView(hidden.id)).toBeUndefined();
  });

  test("a transfer is shown with whether its license exists, and when the license was transferred before", async () => {
    const organization = await fixture.organization();
    const { id: license_id } = await organization.license();
    const first = await addTo(organization, { license_id, ...approved(nowMs) });
    const second = await addTo(organization, { license_id, ...approved(nowMs + 10) });
    const waiting = await addTo(organization, { license_id, requested_at: nowMs + 5 });
    const deleted = await addTo(organization);
    const shown = async ({ id }: TransferRow) => {
      const view = await read.transferView(id);
      return [view?.product_name, view?.license_exists, view?.last_transferred_at];
    };
    expect(await shown(first)).toEqual(["Test Product", 1, null]);
    expect(await shown(second)).toEqual(["Test Product", 1, nowMs]);
    expect(await shown(waiting)).toEqual(["Test Product", 1, nowMs]);
    expect(await shown(deleted)).toEqual(["Test Product", 0, null]);
  });

  test("organizations are reminded one after the other, while transfers wait that are not too old", async () => {
    const [first, old, ended, last] = await several(4, () => fixture.organization());
    // Later than those of other tests.
    const sinceMs = nowMs + 1_000_000;
    await addTo(first, { requested_at: sinceMs });
    await addTo(old, { requested_at: sinceMs - 1 });
    await addTo(ended, { requested_at: sinceMs, state: "rejected" });
    await addTo(last, { requested_at: sinceMs });
    await addTo(last, { requested_at: sinceMs });
    const next = (afterId: string) => read.nextOrganizationToRemind(afterId, sinceMs);
    expect(await next("")).toEqual([first.organizationId]);
    expect(await next(first.organizationId)).toEqual([last.organizationId]);
    expect(await next(last.organizationId)).toEqual([]);
  });

  test("an organization's waiting transfers are counted up to a number, without those of deleted products", async () => {
    const organization = await fixture.organization();
    const deleted = await organization.product();
    for (let count = 0; count < 3; count++) await addTo(organization);
    await addTo(organization, { state: "approved" });
    await addTo({ ...organization, ...deleted });
    await add();
    await remove("products", deleted.productId);
    const count = (most: number) => read.countPendingTransfers(organization.organizationId, most);
    expect([await count(10), await count(2)]).toEqual([3, 2]);
  });

  test("customers are blocked by current IP blocks of the organization", async () => {
    const [{ organizationId }, other] = [await fixture.organization(), await fixture.organization()];
    const [always, still, expired, elsewhere, never] = [newId(), newId(), newId(), newId(), newId()];
    const block = (customerId: string, expiresAtMs: number | null, by = organizationId) => {
      const scope = { tier: "customer", organizationId: by, customerId } as const;
      return { id: newId(), cidr: "127.0.0.0/8", note: null, expiresAtMs, scope };
    };
    const blocks = [
      block(always, null),
      block(still, nowMs + 1),
      block(expired, nowMs),
      block(elsewhere, null, other.organizationId),
    ];
    await fixture.write((db) => addIpBlocks(db, blocks, nowMs));
    const blocked = (ids: readonly string[]) => read.blockedCustomers(organizationId, ids, nowMs);
    expect(await blocked([always, still, expired, elsewhere, never])).toEqual(new Set([always, still]));
    expect(await blocked([])).toEqual(new Set());
  });
});

onBothDatabases("customers in transfers", (fixture) => {
  const { read, write } = fixture.queries(transfers);

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
      new Map<string, transfers.KnownTarget>([
        [transfers.recipientKey(toEmail), grace],
        [transfers.recipientKey(toDiscord), joan],
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
    const rowOf = async ({ organizationId, productId }: TestOrganization) => {
      const of = { organization_id: organizationId, product_id: productId, from_customer_id: grace };
      const row = transferRow({ ...of, state: "rejected", ...columns });
      await write.addTransfer(row);
      return row;
    };
    const [before, elsewhere] = [await rowOf(one), await rowOf(other)];
    const hasDiscordId = columns.to_discord_id !== undefined;
    const who = { email: hasDiscordId ? null : "Ada@example.com", discordId: hasDiscordId ? "42" : null };
    await fixture.write((db) => transfers.eraseFromTransfers(db, one.organizationId, { id: ada, ...who }));
    expect(await read.transferById(before.id)).toEqual({ ...before, ...changes });
    // What another organization knows stays.
    expect(await read.transferById(elsewhere.id)).toEqual(elsewhere);
  });
});
