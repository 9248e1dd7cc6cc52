import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import type { OrganizationRow } from "@countersign/store/tables";
import { UnusedKeysCheck } from "../../apps/server/features/products/unused-keys.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;

describe.each(databases)("an email about unused API keys on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    // The fixture's own product would add an unused key.
    await fixture.owner.api.delete(`/products/${fixture.productId}`);
  });
  afterAll(() => fixture.close());

  const url = "https://countersign.example";
  const product = async (name: string) => {
    const made = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, { name });
    const id = String(made.body.id);
    const key = async (called: string) =>
      String((await fixture.owner.api.post(`/products/${id}/api-keys`, { name: called })).body.api_key).slice(
        4,
        12,
      );
    return { id, first: String(made.body.api_key).slice(4, 12), key };
  };
  const setKey = (publicId: string, values: Record<string, number | null>) =>
    fixture.store.transaction((db) =>
      db.updateTable("product_api_keys").set(values).where("public_id", "=", publicId).execute(),
    );
  const daysAgo = (days: number) => Date.now() - days * dayMs;
  const run = (store = fixture.store, clock = () => store.clock()) =>
    new UnusedKeysCheck(store, url, clock).run();
  const emailsTo = async (to: string) =>
    (await openedEmails(fixture.store, { to })).filter(({ kind }) => kind === "api_keys_unused");

  test("goes once to the owner and to members who can revoke a key, each in their language", async () => {
    const { id, first, key } = await product("Backup");
    const old = await key("Old launcher");
    const used = await key("In use");
    await setKey(first, { created_at: daysAgo(29) });
    await setKey(old, { created_at: daysAgo(90), last_used_at: daysAgo(31) });
    await setKey(used, { created_at: daysAgo(90), last_used_at: daysAgo(2) });
    const keeper = await fixture.member(["products:rotate_key"]);
    const org = await fixture.member(["licenses:create"]);
    await fixture.store.transaction((db) =>
      db.updateTable("users").set({ locale: "de" }).where("id", "=", keeper.userId).execute(),
    );
    await run();
    const [message, ...more] = await emailsTo(fixture.owner.email);
    expect(more).toEqual([]);
    expect(message?.subject).toBe("Unused API keys for Backup");
    expect(message?.body_text).toContain(`Old launcher (csk_${old}…)`);
    expect(message?.body_text).toContain(`/products/${id}/keys`);
    for (const other of [first, used]) expect(message?.body_text).not.toContain(other);
    expect((await emailsTo(keeper.email)).map(({ subject }) => subject)).toEqual([
      "Ungenutzte API-Schlüssel von Backup",
    ]);
    expect(await emailsTo(org.email)).toEqual([]);

    // The same key never causes a second email, even if it is used and becomes unused again.
    await run();
    await setKey(old, { last_used_at: daysAgo(40) });
    await run(fixture.store, async () => (await fixture.store.clock()) + 300);
    expect(await emailsTo(fixture.owner.email)).toHaveLength(1);

    // Another key of the product that becomes unused later causes its own email.
    await setKey(first, { created_at: daysAgo(30) - 60_000 });
    await run();
    const later = await emailsTo(fixture.owner.email);
    expect(later).toHaveLength(2);
    expect(later.some(({ body_text }) => body_text.includes(first) && !body_text.includes(old))).toBe(true);
  });

  test("is sent once, however many nodes check at the same moment", async () => {
    const { first } = await product("Raced");
    await setKey(first, { created_at: daysAgo(31) });
    const nodes = await Promise.all(
      // Only PostgreSQL is shared by several nodes.
      Array.from({ length: kind === "postgres" ? 3 : 0 }, () =>
        openStore(fixture.database.location, { encryptionKey: null, durability: "standard" }),
      ),
    );
    await Promise.all([...nodes, fixture.store, fixture.store].map((store) => run(store)));
    await Promise.all(nodes.map((node) => node.close()));
    const about = (await emailsTo(fixture.owner.email)).filter(({ subject }) => subject.includes("Raced"));
    expect(about).toHaveLength(1);
  });

  test("is not sent for revoked keys, deleted products and suspended organizations", async () => {
    const ended = await product("Ended");
    await ended.key("Current");
    await setKey(ended.first, { created_at: daysAgo(60), expires_at: daysAgo(1) });
    const deleted = await product("Deleted");
    await setKey(deleted.first, { created_at: daysAgo(60) });
    await fixture.owner.api.delete(`/products/${deleted.id}`);
    await run();
    const waiting = await product("Suspended");
    await setKey(waiting.first, { created_at: daysAgo(60) });
    const change = (columns: Partial<OrganizationRow>) =>
      fixture.store.transaction((db) => updateOrganization(db, fixture.organizationId, columns));
    await change({ suspended_at: Date.now() });
    await run();
    await change({ suspended_at: null, billing_state: "suspended" });
    await run();
    const subjects = async () => (await emailsTo(fixture.owner.email)).map(({ subject }) => subject).join();
    expect(await subjects()).not.toMatch(/Ended|Deleted|Suspended/);
    await change({ billing_state: "active" });
    await run();
    expect(await subjects()).toContain("Suspended");
  });
});
