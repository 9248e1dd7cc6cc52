import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { claimEmail } from "@countersign/store/queries/mail/outbox";
import { readConfig } from "../../apps/server/config.ts";
import { writeEmail } from "../../apps/server/features/mail/email.ts";
import { licenseExpiringEmails } from "../../apps/server/features/mail/license-emails.ts";
import { emailPruning } from "../../apps/server/features/mail/prune.ts";
import { WaitingEmails } from "../../apps/server/features/mail/waiting-emails.ts";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;
const dailyEmails = 5;
const settings = { COUNTERSIGN_DAILY_EMAILS: String(dailyEmails) };

describe.each(databases)("the daily limit of emails on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let secondNode: ServerProcess | null = null;
  beforeAll(async () => {
    fixture = await openManageFixture(make, settings);
    if (kind === "postgres")
      secondNode = await startServerProcess({ ...fixture.database.environment, ...settings });
  });
  afterAll(async () => {
    await secondNode?.stop();
    await fixture.close();
  });

  /** An organization with its own owner that emails licenses, and the state of its emails. */
  const org = async (settings: object = { deliver_license_by_email: true }, of?: Person) => {
    const owner = of ?? (await fixture.person());
    const { body: organization } = await owner.api.post("/organizations", { name: "Post & Co" });
    const { body: product } = await owner.api.post(`/organizations/${organization.id}/products`, {
      name: "Tool",
      ...settings,
    });
    const customer = `${newId()}@example.net`;
    const written = () => openedEmails(fixture.store, { to: customer });
    const waiting = () =>
      fixture.store.reads
        .selectFrom("waiting_emails")
        .select("license_id")
        .where("organization_id", "=", organization.id)
        .orderBy("id")
        .execute();
    return {
      owner,
      organizationId: String(organization.id),
      productId: String(product.id),
      customer,
      create: (count: number, by: Person = owner, headers = {}) =>
        by.api.post(`/products/${product.id}/licenses`, { customer_email: customer, count }, headers),
      written,
      waiting,
      counts: async () => [(await written()).length, (await waiting()).length],
      ownersEmails: () => openedEmails(fixture.store, { to: owner.email, kind: "emails_waiting" }),
    };
  };
  const releaseAt = (ms: number, allowed = dailyEmails) =>
    new WaitingEmails(
      fixture.store,
      readConfig({ COUNTERSIGN_DAILY_EMAILS: String(allowed) }),
      async () => ms,
    ).run();
  const nextDay = (days = 1) => Date.now() + days * dayMs;

  test("emails beyond the limit wait for the next days, oldest first, and none is lost", async () => {
    const { create, written, waiting, counts, ownersEmails } = await org();
    const { body } = await create(12, undefined, { "idempotency-key": newId() });
    const keys: string[] = body.data.map((license: { license_key: string }) => license.license_key);
    expect(await counts()).toEqual([5, 7]);
    const [notices, ...others] = await ownersEmails();
    expect(others).toEqual([]);
    expect(notices?.body_text).toContain("Post & Co can send its customers 5 emails a day.");
    await releaseAt(Date.now());
    expect(await counts()).toEqual([5, 7]);
    await releaseAt(nextDay(1));
    await releaseAt(nextDay(1));
    expect(await counts()).toEqual([10, 2]);
    await releaseAt(nextDay(2));
    expect(await counts()).toEqual([12, 0]);
    const texts = (await written()).map((message) => message.body_text);
    for (const key of keys) expect(texts.filter((text) => text.includes(key))).toHaveLength(1);
    expect(await waiting()).toEqual([]);
    expect(await ownersEmails()).toHaveLength(1);
  });

  test("the owner is notified once a day in their language, however many emails wait", async () => {
    const { owner, create, counts, ownersEmails } = await org();
    await owner.api.patch("/me", { locale: "es" });
    for (let time = 0; time < 4; time++) await create(3);
    expect(await counts()).toEqual([5, 7]);
    expect((await ownersEmails()).map((message) => message.body_text)).toEqual([
      expect.stringContaining("puede enviar 5 correos al día"),
    ]);
  });

  test("a repeated request uses no quota, and large batches count as well", async () => {
    const { create, counts } = await org();
    const again = { "idempotency-key": newId() };
    for (let time = 0; time < 2; time++) expect((await create(130, undefined, again)).status).toBe(201);
    expect(await counts()).toEqual([5, 125]);
  });

  test("nodes that write and release concurrently stay within the limit and send nothing twice", async () => {
    const { owner, create, counts, written } = await org();
    const api = manageClient(secondNode?.url ?? fixture.server.url, owner.token);
    const other = { ...owner, api };
    await Promise.all(Array.from({ length: 12 }, (_, index) => create(2, index % 2 === 0 ? owner : other)));
    expect(await counts()).toEqual([5, 19]);
    await Promise.all([1, 2, 3, 4].map(() => releaseAt(nextDay(1))));
    expect(await counts()).toEqual([10, 14]);
    for (const day of [2, 3, 4]) await Promise.all([1, 2, 3].map(() => releaseAt(nextDay(day))));
    expect(await counts()).toEqual([24, 0]);
    expect(new Set((await written()).map((message) => message.body_text)).size).toBe(24);
  });

  test("the organizations of one owner share a limit unless the operator sets one for an organization", async () => {
    const first = await org();
    const second = await org(undefined, first.owner);
    await Promise.all([first.create(3), second.create(4)]);
    const [early, late] = [await first.counts(), await second.counts()];
    expect(Number(early[0]) + Number(late[0])).toBe(5);
    expect(Number(early[1]) + Number(late[1])).toBe(2);
    await releaseAt(Date.now());
    expect([await first.counts(), await second.counts()]).toEqual([early, late]);
    const third = await org(undefined, first.owner);
    await fixture.admin.api.patch(`/admin/organizations/${third.organizationId}`, {
      daily_emails_override: 2,
    });
    await third.create(3);
    expect(await third.counts()).toEqual([2, 1]);
    await releaseAt(nextDay(1));
    expect((await first.counts())[1]).toBe(0);
    expect((await second.counts())[1]).toBe(0);
  });

  test("raising an organization's limit releases waiting emails soon", async () => {
    const { organizationId, create, counts } = await org();
    await create(8);
    const path = `/admin/organizations/${organizationId}`;
    expect((await fixture.admin.api.get(path)).body).toMatchObject({
      daily_emails_override: null,
      waiting_email_count: 3,
    });
    const refused = await fixture.admin.api.patch(path, { daily_emails_override: -1 });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "daily_emails_override"]);
    await fixture.admin.api.patch(path, { daily_emails_override: 7 });
    await until("the server sends up to the limit", async () => (await counts())[0] === 7);
    expect(await counts()).toEqual([7, 1]);
    await create(1);
    expect(await counts()).toEqual([7, 2]);
  });

  test("waiting emails that no longer apply are dropped and use no quota", async () => {
    const { owner, productId, create, written, waiting, counts } = await org();
    const { body } = await create(12);
    const late: { id: string; license_key: string }[] = body.data.slice(5);
    const [revoked, deleted, rotated, kept] = late;
    await owner.api.post(`/licenses/${revoked?.id}/revoke`, { reason: "Mistake" });
    await owner.api.delete(`/licenses/${deleted?.id}`);
    const { body: renewed } = await owner.api.post(`/licenses/${rotated?.id}/rotate-key`);
    await releaseAt(nextDay(1));
    expect(await counts()).toEqual([10, 0]);
    const texts = (await written()).map((message) => message.body_text).join("\n");
    expect(texts).toContain(kept?.license_key ?? "?");
    expect(texts).toContain(renewed.license_key);
    for (const gone of [revoked, deleted, rotated]) expect(texts).not.toContain(gone?.license_key ?? "?");

    await create(4);
    expect(await waiting()).toHaveLength(4);
    await owner.api.patch(`/products/${productId}`, { deliver_license_by_email: false });
    await releaseAt(nextDay(2));
    expect(await counts()).toEqual([10, 0]);
  });

  test("a license renewed while its expiry email waits sends none", async () => {
    const { owner, organizationId, productId, customer, counts } = await org({ expiring_soon_email: true });
    const added = { store: fixture.store, organizationId, productId };
    const ids: string[] = [];
    for (let index = 0; index < 8; index++) {
      const license = { expiresAtMs: Date.now() + 5 * dayMs, customer: { email: customer } };
      ids.push((await addLicense(added, license)).id);
    }
    const notify = () =>
      fixture.store.transaction((db) => licenseExpiringEmails(db, ids, readConfig(settings), Date.now()));
    await notify();
    await notify();
    expect(await counts()).toEqual([5, 3]);
    await owner.api.post(`/licenses/${ids[5]}/renew`, { extend_by_seconds: 86_400 * 30 });
    await releaseAt(nextDay(1));
    expect(await counts()).toEqual([7, 0]);
  });

  test("a suspended organization sends nothing until it is restored", async () => {
    const { organizationId, create, counts } = await org();
    await create(7);
    const path = `/admin/organizations/${organizationId}`;
    await fixture.admin.api.post(`${path}/suspend`, { reason: "Spam" });
    await releaseAt(nextDay(1));
    expect(await counts()).toEqual([5, 2]);
    await fixture.admin.api.post(`${path}/restore`);
    await releaseAt(nextDay(1));
    expect(await counts()).toEqual([7, 0]);
  });

  test("an organization whose billing is suspended sends nothing until it is paid", async () => {
    const { organizationId, create, counts } = await org();
    await create(7);
    const path = `/admin/organizations/${organizationId}`;
    await fixture.admin.api.patch(path, { billing_state: "suspended" });
    await releaseAt(nextDay(1));
    expect(await counts()).toEqual([5, 2]);
    await fixture.admin.api.patch(path, { billing_state: "active" });
    await releaseAt(nextDay(1));
    expect(await counts()).toEqual([7, 0]);
  });

  test("emails that a user is waiting for are sent before those to customers", async () => {
    const { customer, create, written } = await org();
    await create(3);
    const to = `${newId()}@example.net`;
    const message = { to, subject: "Choose a new password", text: "A", html: null, kind: "password_reset" };
    await fixture.store.transaction((db) => writeEmail(db, message, Date.now()));
    // Removes other emails from the queue.
    await fixture.store.transaction((db) =>
      db
        .updateTable("outbox")
        .set({ next_attempt_at: null })
        .where("recipient", "not in", [customer, to])
        .execute(),
    );
    const claim = () =>
      fixture.store.transaction((db) => claimEmail(db, Date.now(), Date.now() - dayMs, Date.now() + dayMs));
    const claimed = [await claim(), await claim(), await claim(), await claim(), await claim()];
    expect(claimed.map((mail) => mail?.recipient)).toEqual([to, customer, customer, customer, undefined]);
    expect(await written()).toHaveLength(3);
  });

  test("emails that have waited for ninety days are pruned", async () => {
    const { organizationId, create, counts } = await org();
    await create(7);
    await fixture.store.transaction((db) =>
      db
        .updateTable("waiting_emails")
        .set({ created_at: Date.now() - 91 * dayMs })
        .where("organization_id", "=", organizationId)
        .execute(),
    );
    await emailPruning(fixture.store).run();
    expect(await counts()).toEqual([5, 0]);
  });
});
