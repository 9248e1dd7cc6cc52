import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { UnusedKeysCheck } from "../../apps/server/features/products/unused-keys.ts";
import { on } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;

/** Which keys count as unused, and that each is reported once: packages/store/queries/products/keys.test.ts. */
describe.each(on("sqlite"))("an email about unused API keys on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const newKey = async (name: string) => {
    const made = await fixture.owner.api.post(`/products/${fixture.productId}/api-keys`, { name });
    return String(made.body.api_key).slice(4, 12);
  };
  const setKey = (publicId: string, values: Record<string, number | null>) =>
    fixture.store.transaction((db) =>
      db.updateTable("product_api_keys").set(values).where("public_id", "=", publicId).execute(),
    );
  const daysAgo = (days: number) => Date.now() - days * dayMs;
  const run = () =>
    new UnusedKeysCheck(fixture.store, "https://countersign.example", () => fixture.store.clock()).run();
  const emailsTo = async (to: string) =>
    (await openedEmails(fixture.store, { to })).filter(({ kind }) => kind === "api_keys_unused");

  test("goes once to the owner and to members who can revoke a key, each in their language", async () => {
    const first = fixture.apiKey.slice(4, 12);
    const old = await newKey("Old launcher");
    const used = await newKey("In use");
    await setKey(first, { created_at: daysAgo(29) });
    await setKey(old, { created_at: daysAgo(90), last_used_at: daysAgo(31) });
    await setKey(used, { created_at: daysAgo(90), last_used_at: daysAgo(2) });
    const keeper = await fixture.member(["products:rotate_key"]);
    const seller = await fixture.member(["licenses:create"]);
    await fixture.store.transaction((db) =>
      db.updateTable("users").set({ locale: "de" }).where("id", "=", keeper.userId).execute(),
    );
    // Several servers can check at the same moment.
    await Promise.all([run(), run()]);
    const [message, ...more] = await emailsTo(fixture.owner.email);
    expect(more).toEqual([]);
    expect(message?.subject).toBe("Unused API keys for Plugin");
    expect(message?.body_text).toContain(`Old launcher (csk_${old}…)`);
    expect(message?.body_text).toContain(`/products/${fixture.productId}/keys`);
    for (const other of [first, used]) expect(message?.body_text).not.toContain(other);
    expect((await emailsTo(keeper.email)).map(({ subject }) => subject)).toEqual([
      "Ungenutzte API-Schlüssel von Plugin",
    ]);
    expect(await emailsTo(seller.email)).toEqual([]);

    // The same key never causes a second email, even if it is used and becomes unused again.
    await setKey(old, { last_used_at: daysAgo(40) });
    await run();
    expect(await emailsTo(fixture.owner.email)).toHaveLength(1);

    // Another key of the product that becomes unused later causes its own email.
    await setKey(first, { created_at: daysAgo(30) - 60_000 });
    await run();
    const later = await emailsTo(fixture.owner.email);
    expect(later).toHaveLength(2);
    expect(later.some(({ body_text }) => body_text.includes(first) && !body_text.includes(old))).toBe(true);
  });
});
