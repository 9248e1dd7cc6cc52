import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStore } from "@countersign/store/databases/open";
import { movePast } from "@countersign/store/queries/customers/holders";
import { customerFor, removeUnknownCustomers } from "@countersign/store/queries/customers/identify";
import { customerOf, moveLicenses, removeCustomerView } from "@countersign/store/queries/customers/views";
import { createLicenses, registerIp } from "@countersign/store/queries/licenses/create";
import { openEmail } from "@countersign/store/queries/mail/outbox";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import { openText, sealText } from "@countersign/store/sealed-columns";
import type { Store } from "@countersign/store/store";
import { databases, type TestDatabase } from "../../../../tests/support/databases.ts";
import { erasuresOn } from "../../../../tests/support/erasures.ts";
import { importRow } from "../../../../tests/support/import-row.ts";
import { openTestJournal, type TestJournal } from "../../../../tests/support/journal.ts";
import { listed } from "../../../../tests/support/listed.ts";
import { addOrganizationRows } from "../../../../tests/support/organization-rows.ts";
import { journalEntry } from "../../../../tests/support/request-log.ts";
import { storedRows } from "../../../../tests/support/stored-rows.ts";
import { newId, openTestOrganization } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-row.ts";
import { rowsWith } from "../../../../tests/support/whole-database.ts";
import { auditWithoutRequest } from "../audit-log/record.ts";
import { licenseEvent, recordEvents } from "../events/record.ts";
import { writeEmail } from "../mail/email.ts";

const email = "Canary.Ada@customers.example";
const discordId = "184467440737095516";
const name = "Canary Lovelace";
const ip = "203.0.113.77";
const sharedIp = "203.0.113.78";

// With its own database, whose rows are read as a whole.
describe.each(databases)("erasing a customer on $kind", ({ make }) => {
  let database: TestDatabase;
  let store: Store;
  let journal: TestJournal;
  let erasures: ReturnType<typeof erasuresOn>;
  beforeAll(async () => {
    database = await make();
    store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
    journal = await openTestJournal(database.location);
    erasures = erasuresOn(store, () => journal.journal);
  }, 60_000);
  afterAll(async () => {
    await journal.close();
    await store.close();
    database.remove();
  });

  /** A customer with rows in every table that can name them, and another one of the same organization. */
  const filled = async (nowMs: number) => {
    const { organizationId, productId } = await openTestOrganization(null, { store });
    return store.transaction(async (db) => {
      const rows = await addOrganizationRows(db, { organizationId, productId }, email, nowMs);
      for (const table of ["erased_licenses", "customer_erasures"] as const)
        await db.deleteFrom(table).execute();
      const who = { email, discordId, name };
      const customer = await customerFor(db, organizationId, who, newId, nowMs);
      await registerIp(db, rows.license, ip, nowMs);
      const other = await customerFor(
        db,
        organizationId,
        { email: `someone@customers.example.org`, discordId: null, name: "Other" },
        newId,
        nowMs,
      );
      const [kept, given, lent, deleted] = [newId(), newId(), newId(), newId()];
      const of = { organizationId, productId, maxIps: 9 };
      const createdFor = { [kept]: other, [given]: customer, [lent]: other };
      const created = Object.entries(createdFor).map(([id, customerId]) => ({ ...of, id, customerId }));
      await createLicenses(
        db,
        created.map((license) => ({ ...license, key: `KEY-${license.id}` })),
        nowMs,
      );
      // The license that the customer gave away was theirs until a second later, and the lent one for a second.
      const [givenAt, lentAt, returnedAt] = [nowMs + 1_000, nowMs + 1_000, nowMs + 2_000];
      const customers: [id: string, customerId: string, atMs: number][] = [
        [given, other, givenAt],
        [lent, customer, lentAt],
        [lent, other, returnedAt],
      ];
      let sinceMs = 0;
      for (const [id, customerId, atMs] of customers) {
        await db.updateTable("licenses").set({ customer_id: customerId }).where("id", "=", id).execute();
        if (id === given || customerId === customer) sinceMs = 0;
        await db
          .updateTable("former_holders")
          .set({ until_at: atMs, since_at: sinceMs })
          .where("license_id", "=", id)
          .where("until_at", ">", nowMs + 10_000)
          .execute();
        sinceMs = atMs;
      }
      // One that the new customer has not used since, one that they use too, and two of theirs.
      for (const id of [given, lent]) {
        await registerIp(db, id, ip, lentAt + (id === given ? -1 : 1));
        await registerIp(db, id, sharedIp, lentAt + (id === given ? -1 : 1));
        await registerIp(db, id, "203.0.113.90", returnedAt + 1);
      }
      await registerIp(db, lent, "203.0.113.91", lentAt - 1);
      const transfer = transferRow({
        ...{ organization_id: organizationId, product_id: productId, license_id: given },
        ...{ from_customer_id: customer, from_email: email, from_discord_id: discordId, from_name: name },
        ...{ state: "approved", decided_at: givenAt, message: name },
        ...{ to_email: "someone@customers.example.org", to_customer_id: other, requested_at: nowMs },
      });
      await addTransfer(db, transfer);
      const event = { organizationId, productId };
      await recordEvents(
        db,
        nowMs,
        {
          ...licenseEvent("license.created", { id: deleted } as never),
          ...event,
          licenseId: deleted,
          data: { email } as never,
        },
        {
          ...licenseEvent("license.created", { id: given } as never),
          ...event,
          licenseId: given,
          data: { name } as never,
        },
        ...[-1, 1, 3].map((after) => ({
          ...licenseEvent("license.updated", { id: lent } as never),
          ...event,
          licenseId: lent,
          data: { after } as never,
        })),
        {
          ...licenseEvent("license.created", { id: kept } as never),
          ...event,
          licenseId: kept,
          data: { kept: true } as never,
        },
      );
      for (const after of [-1, 1, 3])
        await db
          .updateTable("events")
          .set({ at: lentAt + after * 500 })
          .where("license_id", "=", lent)
          .where("data", "=", JSON.stringify({ after }))
          .execute();
      await auditWithoutRequest(
        db,
        { kind: "system", name: "Shop" },
        nowMs,
        {
          action: "customer.updated",
          subject: { kind: "customer", id: customer, name },
          before: { email: "former.ada@customers.example" },
          after: { email, name, discord_id: discordId },
          organizationId,
        },
        {
          action: "license.created",
          subject: { kind: "license", id: rows.license, name: "masked" },
          after: { license_key: rows.licenseKey },
          organizationId,
        },
        {
          action: "license.created",
          subject: { kind: "license", id: kept, name: "kept" },
          after: { license_key: "kept" },
          organizationId,
        },
      );
      await db
        .insertInto("audit_log")
        .values({
          ...{ id: newId(), at: nowMs, organization_id: organizationId, actor_kind: "customer" as const },
          ...{ actor_id: customer, actor_name: name, access_token_id: null, action: "license.ip_removed" },
          ...{ subject_kind: "license", subject_id: given, subject_name: null, before: null, after: null },
          ...{ ip, request_id: null },
        })
        .execute();
      const mail = {
        subject: `Hello ${name}`,
        text: `${rows.licenseKey}`,
        html: null,
        kind: "license_delivery",
      };
      await writeEmail(db, { ...mail, to: email, organizationId }, nowMs);
      await writeEmail(
        db,
        { ...mail, subject: "Given", text: email, to: "x@customers.example", organizationId },
        nowMs,
      );
      await writeEmail(
        db,
        { ...mail, subject: "Kept", text: "kept", to: "y@customers.example", organizationId },
        nowMs,
      );
      // A stored response to a user, who can work for several organizations.
      await db
        .insertInto("idempotency_keys")
        .values({
          ...{ actor_id: rows.member, idempotency_key: newId(), fingerprint: "f", status: 201 },
          ...{ sealed_answer: sealText(db, JSON.stringify({ id: rows.license })), created_at: nowMs },
        })
        .execute();
      await db
        .updateTable("imports")
        .set({
          default_customer_email: email,
          finished_at: nowMs,
          errors: JSON.stringify([{ value: email }, { row: 2 }]),
        })
        .where("organization_id", "=", organizationId)
        .execute();
      await db.deleteFrom("import_pieces").execute();
      const about = { organization_id: organizationId, product_id: productId, tracked: true };
      await journal.journal.append(
        [
          { license_id: rows.license, ip, at: nowMs },
          { license_id: rows.license, ip, at: nowMs, status: "revoked" },
          { license_id: rows.license, ip: sharedIp, at: nowMs },
          { license_id: deleted, ip, at: nowMs },
          { license_id: given, ip, at: nowMs },
          { license_id: given, ip: sharedIp, at: nowMs },
          { license_id: given, ip: "203.0.113.99", at: nowMs + 5_000 },
          { license_id: given, ip: sharedIp, at: nowMs + 5_001 },
          { license_id: lent, ip: "203.0.113.91", at: nowMs },
          { license_id: lent, ip, at: nowMs + 1_500 },
          { license_id: lent, ip: sharedIp, at: nowMs + 1_500, status: "revoked" },
          { license_id: lent, ip: sharedIp, at: nowMs + 5_000 },
          { license_id: kept, ip: sharedIp, at: nowMs },
        ].map((row) => journalEntry({ ...about, ...row })),
      );
      return { organizationId, productId, other, kept, given, lent, deleted, ...rows };
    });
  };
  /** Those that are registered for a license, if these are as many as it counts. */
  const ipsOf = async (licenseId: string) => {
    const ips = (await storedRows(store.reads, "license_ips", { license_id: licenseId })).map(
      (row) => row.ip,
    );
    const [license] = await storedRows(store.reads, "licenses", { id: licenseId });
    expect(license?.ip_count).toBe(ips.length);
    return ips.sort();
  };
  /** What is sealed, opened. */
  const sealedTexts = async () => [
    ...(await store.reads.selectFrom("outbox").selectAll().execute()).map((row) =>
      JSON.stringify(openEmail(store.reads, row)),
    ),
    ...(await store.reads.selectFrom("idempotency_keys").selectAll().execute()).map((row) =>
      openText(store.reads, row.sealed_answer),
    ),
    ...(await store.reads.selectFrom("delivery_attempts").selectAll().execute()).map((row) =>
      openText(store.reads, row.sealed_response ?? ""),
    ),
  ];

  test("an erasure leaves no trace of the customer, and everything of others", async () => {
    const atMs = (await store.clock()) - 60_000;
    const theirs = await filled(atMs);
    const closeSegments = async () => {
      while ((await journal.journal.closeSegment(Date.now() + 3_600_000)) > 0);
    };
    await closeSegments();
    const texts = [email, email.toLowerCase(), discordId, name, ip];
    const withTexts = async () => Promise.all(texts.map((text) => rowsWith(store, text)));
    const before = await withTexts();
    const ours = await filled(atMs);
    await closeSegments();
    const untouched = await rowsWith(store, theirs.organizationId);
    const { ip_sightings: _, ...sightings } = await rowsWith(store, theirs.license);
    const counts = await erasures.begin(ours.organizationId, ours.customer);
    expect(counts).toMatchObject({ licenses: 1, ip_addresses: 2, ip_blocks: 1 });
    // The same person can become a customer again, who stays.
    const again = await store.transaction(async (db) =>
      customerFor(
        db,
        ours.organizationId,
        { email: "back@customers.example", discordId: null, name: null },
        newId,
        Date.now(),
      ),
    );
    for (const _ of ["the licenses", "nothing"]) await erasures.run();
    // Requests of the last seconds may not be in the log yet.
    expect(await storedRows(store.reads, "customer_erasures", {})).toHaveLength(1);
    await erasures.settle(ours.customer);
    await erasures.run();
    await erasures.run();
    expect(await storedRows(store.reads, "customer_erasures", {})).toEqual([]);
    expect(await storedRows(store.reads, "erased_licenses", {})).toEqual([]);

    // What the seller wrote about other things stays.
    const written = new Set(
      listed(`organization_billing organization_branding impersonations invitations products product_downloads
        webhook_endpoints ip_blocks`),
    );
    const without = (all: Record<string, string[]>) =>
      Object.fromEntries(Object.entries(all).filter(([table]) => !written.has(table) && table !== "imports"));
    expect((await withTexts()).map(without)).toEqual(before.map(without));
    const [imported] = await storedRows(store.reads, "imports", { organization_id: ours.organizationId });
    expect(imported).toMatchObject({ default_customer_email: null, file_name: null, errors: '[{"row":2}]' });
    for (const text of [ours.licenseKey]) expect(await rowsWith(store, text)).toEqual({});
    // Only its ID: in entries of the audit log, a transfer, whose it was, counts of refusals, and an email that is not
    // written.
    const withId = await rowsWith(store, ours.license);
    const namingIds = ["audit_log", "former_holders", "rollup_days", "transfers", "waiting_emails"];
    expect(Object.keys(withId).filter((table) => !namingIds.includes(table))).toEqual([]);
    expect(Object.keys(await rowsWith(store, ours.customer))).toEqual(
      expect.arrayContaining(["audit_log", "transfers"]),
    );
    const entries = JSON.stringify((await rowsWith(store, ours.customer)).audit_log);
    expect(entries).toContain("Erased customer");
    for (const text of ["former.ada", email, name, ip]) expect(entries).not.toContain(text);
    expect(await rowsWith(store, theirs.organizationId)).toEqual(untouched);
    const { ip_sightings: __, ...after } = await rowsWith(store, theirs.license);
    expect(after).toEqual(sightings);
    expect(await customerOf(store.reads, ours.organizationId, again)).toBeDefined();
    const kept = await rowsWith(store, ours.kept);
    expect(Object.keys(kept)).toEqual(
      expect.arrayContaining(["audit_log", "events", "licenses", "request_log"]),
    );
    expect(kept.audit_log?.[0]).toContain('\\"license_key\\":\\"kept\\"');
    // Of the license that they gave away, what came after stays.
    const given = await rowsWith(store, ours.given);
    expect(given.request_log).toHaveLength(2);
    expect(given.request_log?.[0]).toContain("203.0.113.99");
    expect(given.events).toBeUndefined();
    expect(await ipsOf(ours.given)).toEqual([sharedIp, "203.0.113.90"]);
    // Of the license that was theirs for a while, what came before stays too.
    const lent = await rowsWith(store, ours.lent);
    expect(lent.request_log).toHaveLength(2);
    expect(lent.events?.map((event) => /\{.*after.*?(-?\d)/.exec(event)?.[1])).toEqual(["-1", "3"]);
    expect(await ipsOf(ours.lent)).toEqual([sharedIp, "203.0.113.90", "203.0.113.91"]);
    expect(lent.license_refusals).toBeUndefined();
    const shared = await rowsWith(store, sharedIp);
    expect(shared.ip_sightings?.some((row) => row.includes(ours.organizationId))).toBe(true);
    const sealed = (await sealedTexts()).filter((text) => text.includes(email));
    // Two emails, a stored response and what a webhook responded, all of the other organization.
    expect(sealed).toHaveLength(4);
    expect((await sealedTexts()).filter((text) => text.includes("kept"))).toHaveLength(2);
    expect((await sealedTexts()).filter((text) => text.includes(ours.license))).toEqual([]);
    expect((await sealedTexts()).filter((text) => text.includes(theirs.license))).toHaveLength(1);
  }, 60_000);

  test("what was recorded about the customer under earlier email addresses and IDs is erased too", async () => {
    const { organizationId, productId } = await openTestOrganization(null, { store });
    const nowMs = (await store.clock()) - 60_000;
    const names = ["First Name", "Second Name"] as const;
    const emails = ["one", "two", "three"].map((part) => `${part}.merged@customers.example`);
    const [licenseId, givenId] = [newId(), newId()];
    const customerId = await store.transaction(async (db) => {
      const customerOfEmail = (mail: string | undefined) =>
        customerFor(db, organizationId, { email: mail ?? "", discordId: null, name: null }, newId, nowMs);
      const [first = "", ...later] = [
        await customerOfEmail(emails[0]),
        await customerOfEmail(emails[1]),
        await customerOfEmail(emails[2]),
      ];
      const of = { organizationId, productId, customerId: first, maxIps: 1 };
      await createLicenses(
        db,
        [licenseId, givenId].map((id) => ({ ...of, id, key: id })),
        nowMs,
      );
      const other = await customerOfEmail("other.merged@customers.example");
      await db.updateTable("licenses").set({ customer_id: other }).where("id", "=", givenId).execute();
      const transfer = { organization_id: organizationId, product_id: productId, license_id: givenId };
      await addTransfer(
        db,
        transferRow({ ...transfer, from_customer_id: first, from_name: names[0], state: "rejected" }),
      );
      const entry = { organization_id: organizationId, access_token_id: null, request_id: null, at: nowMs };
      await db
        .insertInto("audit_log")
        .values({
          ...{
            ...entry,
            id: newId(),
            actor_kind: "customer",
            actor_id: first,
            actor_name: names[0] ?? "",
            ip,
          },
          ...{ action: "license.ip_removed", subject_kind: "license", subject_id: givenId },
          ...{ subject_name: null, before: null, after: null },
        })
        .execute();
      let id = first;
      for (const next of later) {
        await moveLicenses(db, organizationId, { fromId: id, toId: next }, [licenseId], nowMs);
        await movePast(db, { fromId: id, toId: next });
        await removeCustomerView(db, organizationId, id);
        await removeUnknownCustomers(db, [id]);
        const about = { kind: "customer", name: names[0] };
        const [was, is] = [emails.shift(), emails[0]];
        await auditWithoutRequest(
          db,
          { kind: "system", name: "Shop" },
          nowMs,
          {
            ...{ action: "customer.updated", subject: { ...about, id }, organizationId },
            ...{ before: { name: names[0] }, after: { name: names[1] } },
          },
          {
            ...{ action: "customer.updated", subject: { ...about, id: next }, organizationId },
            ...{ before: { id, email: was }, after: { id: next, email: is } },
          },
        );
        id = next;
      }
      return id;
    });
    const about = { organization_id: organizationId, product_id: productId, ip };
    // The last one is in the part of the log that has no keys yet.
    await journal.journal.append([
      journalEntry({ ...about, license_id: licenseId, at: nowMs }),
      journalEntry({ ...about, license_id: givenId, at: nowMs }),
      journalEntry({ ...about, license_id: licenseId, at: Date.now() }),
    ]);
    await erasures.begin(organizationId, customerId);
    await erasures.settle(customerId);
    await erasures.run();
    await erasures.run();
    expect(await storedRows(store.reads, "customer_erasures", {})).toEqual([]);
    const left = JSON.stringify(await rowsWith(store, organizationId));
    for (const text of [...names, "one.merged", "two.merged", "three.merged", ip])
      expect(left).not.toContain(text);
    expect(left).toContain("other.merged");
  }, 60_000);

  test("an erasure waits for an import that began before it, and erases what that wrote", async () => {
    const { organizationId, productId } = await openTestOrganization(null, { store });
    const nowMs = (await store.clock()) - 60_000;
    const who = { email: "imported.canary@customers.example", discordId: null, name: null };
    const imported = importRow(
      { organizationId, productId },
      { id: newId(), state: "writing", finished_at: null, created_at: nowMs, updated_at: nowMs },
    );
    const customerId = await store.transaction(async (db) => {
      await db.insertInto("imports").values(imported).execute();
      return customerFor(db, organizationId, who, newId, nowMs);
    });
    await erasures.begin(organizationId, customerId);
    await erasures.settle(customerId);
    await erasures.run();
    expect(await storedRows(store.reads, "customer_erasures", {})).toHaveLength(1);
    await store.transaction(async (db) => {
      const rejected = {
        import_id: imported.id,
        number: 1,
        cells: JSON.stringify([who.email]),
        errors: "[]",
      };
      await db.insertInto("import_rejects").values(rejected).execute();
      await db.updateTable("imports").set({ finished_at: nowMs }).where("id", "=", imported.id).execute();
    });
    await erasures.run();
    expect(await storedRows(store.reads, "customer_erasures", {})).toEqual([]);
    expect(await rowsWith(store, who.email)).toEqual({});
  }, 60_000);

  test("an erasure that is interrupted continues, and is recorded once, without a name", async () => {
    const { organizationId, productId } = await openTestOrganization(null, { store });
    const nowMs = (await store.clock()) - 60_000;
    const customer = await store.transaction(async (db) => {
      const who = { email: "many@customers.example", discordId: null, name: "Many" };
      const id = await customerFor(db, organizationId, who, newId, nowMs);
      const of = { organizationId, productId, customerId: id, maxIps: 1 };
      await createLicenses(
        db,
        Array.from({ length: 120 }, () => ({ ...of, id: newId(), key: newId() })),
        nowMs,
      );
      return id;
    });
    await erasures.begin(organizationId, customer);
    await erasures.settle(customer);
    const licenses = async () =>
      (await storedRows(store.reads, "licenses", { organization_id: organizationId })).length;
    for (const [after, left] of [
      [1, 95],
      [2, 70],
    ] as const) {
      const stopping = new AbortController();
      let transactions = 0;
      const stops = new Proxy(store, {
        get: (target, key) => {
          if (key === "transaction" && ++transactions >= 1) stopping.abort();
          const value = Reflect.get(target, key);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
      await erasures.run(stops, stopping.signal);
      expect([after, await licenses()]).toEqual([after, left]);
    }
    await Promise.all([erasures.run(), erasures.run()]);
    await Promise.all([erasures.run(), erasures.run(), erasures.run()]);
    expect(await licenses()).toBe(0);
    const entries = await storedRows(store.reads, "audit_log", { organization_id: organizationId });
    const erased = entries.filter(({ action }) => action === "customer.erased");
    expect(erased).toMatchObject([{ subject_id: customer, subject_name: null, before: null, after: null }]);
    expect(JSON.stringify(entries)).not.toContain("many@");
    expect(await storedRows(store.reads, "customers", { id: customer })).toEqual([]);
    const refused = store.transaction((db) =>
      db
        .updateTable("audit_log")
        .set({ after: null })
        .where("organization_id", "=", organizationId)
        .execute(),
    );
    await expect(refused).rejects.toThrow("append-only");
  }, 60_000);
});
