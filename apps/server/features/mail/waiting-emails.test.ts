import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import type { ProductSettings } from "@countersign/store/queries/products/products";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { readConfig } from "../../base/config.ts";
import { deliverLicenses, licenseExpiringEmails } from "./license-emails.ts";
import { waitingEmailsJob } from "./waiting-emails.ts";

const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "5" });

onDatabase("postgres", "the daily limit of five emails to customers", (fixture) => {
  const { write } = fixture;

  /** An organization that emails licenses, and the state of its emails. */
  const openOrganization = async (
    settings: Partial<ProductSettings> = { deliver_license_by_email: 1 },
    sharedOwnerId?: string,
  ) => {
    const ownerId = sharedOwnerId ?? (await fixture.user()).id;
    const { organizationId, productId } = await fixture.organization({ settings });
    const change = (changes: Partial<OrganizationRow>) =>
      fixture.change("organizations", organizationId, changes);
    await change({ owner_id: ownerId });
    const customer = `${newId()}@example.net`;
    const addLicenses = async (count: number, expiresAtMs: number | null = null) => {
      const customerId = await fixture.customer(organizationId, { email: customer });
      const license = { organizationId, productId, customerId, expiresAtMs };
      const ids = Array.from({ length: count }, newId);
      const licenses = ids.map((id) => ({ ...license, id, key: `KEY-${id}` }));
      await write((db) => createLicenses(db, licenses, Date.now()));
      return ids;
    };
    const deliver = (ids: readonly string[]) =>
      write((db) => deliverLicenses(db, { deliver_license_by_email: 1 }, ids, config, Date.now()));
    const written = () => openedEmails(fixture.store, { to: customer });
    return {
      productId,
      ownerId,
      change,
      addLicenses,
      deliver,
      create: async (count: number) => {
        const ids = await addLicenses(count);
        await deliver(ids);
        return ids;
      },
      written,
      /** How many emails are written, and how many wait. */
      counts: async () => {
        const waiting = await fixture.rows("waiting_emails", { organization_id: organizationId });
        return [(await written()).length, waiting.length];
      },
    };
  };
  const releaseAt = (ms: number) => waitingEmailsJob(fixture.store, config, async () => ms).run();
  const nextDay = (days = 1) => Date.now() + days * dayMs;
  const changeLicense = (id = "", changes: Partial<LicenseRow>) => fixture.change("licenses", id, changes);

  test("emails beyond the limit wait for the next days, oldest first, and none is lost", async () => {
    const { create, written, counts } = await openOrganization();
    const ids = await create(12);
    expect(await counts()).toEqual([5, 7]);
    await releaseAt(Date.now());
    expect(await counts()).toEqual([5, 7]);
    await releaseAt(nextDay(1));
    await releaseAt(nextDay(1));
    expect(await counts()).toEqual([10, 2]);
    await releaseAt(nextDay(2));
    expect(await counts()).toEqual([12, 0]);
    const emails = await written();
    for (const [index, id] of ids.entries()) expect(emails[index]?.body_text).toContain(`KEY-${id}`);
    // Emails that a user waits for are sent before them.
    expect(new Set(emails.map((email) => email.is_bulk))).toEqual(new Set([1]));
  });

  test("the owner is notified once a day in their language, however many emails wait", async () => {
    const { ownerId, create } = await openOrganization();
    await fixture.change("users", ownerId, { locale: "es" });
    for (let time = 0; time < 4; time++) await create(3);
    const notice = { to: `${ownerId}@example.com`, kind: "emails_waiting" };
    const texts = (await openedEmails(fixture.store, notice)).map((email) => email.body_text);
    expect(texts).toEqual([expect.stringContaining("puede enviar 5 correos al día")]);
  });

  test("an email that is written or waits already is not counted again", async () => {
    const { addLicenses, deliver, counts } = await openOrganization();
    const ids = await addLicenses(130);
    for (let time = 0; time < 2; time++) await deliver(ids);
    expect(await counts()).toEqual([5, 125]);
  });

  test("nodes that write and release concurrently stay within the limit and send nothing twice", async () => {
    const { create, counts, written } = await openOrganization();
    await Promise.all(Array.from({ length: 12 }, () => create(2)));
    expect(await counts()).toEqual([5, 19]);
    for (const [days, sent] of [10, 15, 20, 24].entries()) {
      await Promise.all([1, 2, 3].map(() => releaseAt(nextDay(days + 1))));
      expect(await counts()).toEqual([sent, 24 - sent]);
    }
    expect(new Set((await written()).map((email) => email.body_text)).size).toBe(24);
  });

  test("the organizations of one owner share a limit unless the operator sets one for an organization", async () => {
    const first = await openOrganization();
    const second = await openOrganization(undefined, first.ownerId);
    await Promise.all([first.create(3), second.create(4)]);
    const bothCounts = async () => [await first.counts(), await second.counts()];
    const before = await bothCounts();
    const sumOf = (at: 0 | 1) => before.reduce((sum, counts) => sum + (counts[at] ?? 0), 0);
    expect([sumOf(0), sumOf(1)]).toEqual([5, 2]);
    await releaseAt(Date.now());
    expect(await bothCounts()).toEqual(before);
    const third = await openOrganization(undefined, first.ownerId);
    await third.change({ daily_emails_override: 2 });
    await third.create(3);
    expect(await third.counts()).toEqual([2, 1]);
    await third.change({ daily_emails_override: 3 });
    await releaseAt(Date.now());
    expect(await third.counts()).toEqual([3, 0]);
    await releaseAt(nextDay());
    expect((await bothCounts()).flat()).toEqual([3, 0, 4, 0]);
  });

  test("waiting emails about what was revoked or deleted are dropped and use no quota, and a new key is sent", async () => {
    const { productId, create, written, counts } = await openOrganization();
    const [revoked, deleted, rotated] = (await create(12)).slice(5);
    await changeLicense(revoked, { revoked_at: 1 });
    await fixture.write((db) =>
      db
        .deleteFrom("licenses")
        .where("id", "=", deleted ?? "")
        .execute(),
    );
    await changeLicense(rotated, { license_key: "KEY-NEW", license_key_match: `NEW-${rotated}` });
    await releaseAt(nextDay());
    expect(await counts()).toEqual([10, 0]);
    const texts = (await written()).map((email) => email.body_text).join("\n");
    expect(texts).toContain("KEY-NEW");
    for (const id of [revoked, deleted, rotated]) expect(texts).not.toContain(`KEY-${id}`);

    await create(4);
    expect(await counts()).toEqual([10, 4]);
    await fixture.change("products", productId, { deliver_license_by_email: 0 });
    await releaseAt(nextDay(2));
    expect(await counts()).toEqual([10, 0]);
  });

  test("a license that is renewed while its expiry email waits sends none", async () => {
    const { addLicenses, counts } = await openOrganization({ expiring_soon_email: 1 });
    const ids = await addLicenses(8, Date.now() + 5 * dayMs);
    for (let time = 0; time < 2; time++)
      await write((db) => licenseExpiringEmails(db, ids, config, Date.now()));
    expect(await counts()).toEqual([5, 3]);
    await changeLicense(ids[5], { expires_at: Date.now() + 30 * dayMs });
    await releaseAt(nextDay());
    expect(await counts()).toEqual([7, 0]);
  });

  test.each<[what: string, before: Partial<OrganizationRow>, after: Partial<OrganizationRow>]>([
    ["is suspended", { suspended_at: 1 }, { suspended_at: null }],
    ["has not paid", { billing_state: "suspended" }, { billing_state: "active" }],
  ])("an organization that %s sends nothing until that is over", async (_what, before, after) => {
    const { change, create, counts } = await openOrganization();
    await create(6);
    await change(before);
    await create(1);
    await releaseAt(nextDay());
    expect(await counts()).toEqual([5, 2]);
    await change(after);
    await releaseAt(nextDay());
    expect(await counts()).toEqual([7, 0]);
  });
});
