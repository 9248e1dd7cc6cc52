import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { quotaDay } from "@countersign/domain/quota/day";
import { openStore } from "@countersign/store/open";
import { addEvents } from "@countersign/store/queries/events/events";
import { quotaEventsAfter } from "@countersign/store/queries/usage/quota-notices";
import { usagePruning } from "../../apps/server/features/usage/prune.ts";
import { QuotaEmails } from "../../apps/server/features/usage/quota-emails.ts";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { watched } from "../support/watched-queries.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;
const url = "https://countersign.example";

describe.each(databases)("emails about reached daily limits on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const organization = async (limit: number | null = null) => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "Busy" });
    await change(body.id, { daily_limit_override: limit });
    const product = async (name: string) => {
      const made = await owner.api.post(`/organizations/${body.id}/products`, { name });
      return { id: String(made.body.id), api: apiOf(fixture.server.url, made.body.api_key) };
    };
    return { id: String(body.id), slug: String(body.slug), owner, product };
  };
  const change = (id: string, changes: object) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set((row) => ({ updated_at: row.ref("updated_at"), ...changes }))
        .where("id", "=", id)
        .execute(),
    );
  /** When the product's last event was recorded: near midnight, the server's clock may be a day further. */
  const lastEventAt = async (productId: string) => {
    const { at } = await fixture.store.reads
      .selectFrom("events")
      .select((is) => is.fn.max("at").as("at"))
      .where("product_id", "=", productId)
      .where("type", "in", ["quota.warning", "quota.exhausted"])
      .executeTakeFirstOrThrow();
    return Number(at);
  };
  const record = (
    atMs: number,
    organizationId: string,
    productIds: readonly string[],
    type: "quota.warning" | "quota.exhausted" = "quota.warning",
  ) =>
    fixture.store.transaction((db) =>
      addEvents(
        db,
        productIds.map((productId) => ({
          id: newId(),
          organization_id: organizationId,
          product_id: productId,
          license_id: null,
          type,
          at: atMs,
          data: JSON.stringify({
            organization_id: organizationId,
            product_id: productId,
            limit: 10_000,
            used: 8_000,
            resets_at: new Date((quotaDay(atMs) + 1) * dayMs).toISOString(),
          }),
          undistributed: null,
        })),
      ),
    );
  const run = (atMs: number, store = fixture.store) => new QuotaEmails(store, url, async () => atMs).run();
  const emailsTo = async ({ email }: Person) =>
    (await openedEmails(fixture.store, { to: email })).filter(({ kind }) => kind.startsWith("quota_"));
  const kindsTo = async (person: Person) => (await emailsTo(person)).map(({ kind }) => kind).sort();

  test("the owner and members who manage the billing get one for each mark, on any number of nodes", async () => {
    const { id, slug, owner, product } = await organization(10);
    const payer = await fixture.member(["billing:manage"], id);
    const other = await fixture.member(["products:manage"], id);
    await fixture.store.transaction((db) =>
      db.updateTable("users").set({ locale: "de" }).where("id", "=", payer.userId).execute(),
    );
    const { id: productId, api } = await product("Tool");
    await Promise.all(Array.from({ length: 9 }, () => api.validate({ license_key: "none" })));
    const nodes = await Promise.all(
      // Only PostgreSQL is shared by several nodes.
      Array.from({ length: kind === "postgres" ? 3 : 0 }, () =>
        openStore(fixture.database.location, { encryptionKey: null, durability: "standard" }),
      ),
    );
    const runAll = async () => {
      const atMs = await lastEventAt(productId);
      await Promise.all([...nodes, fixture.store, fixture.store].map((store) => run(atMs, store)));
    };
    await runAll();
    await runAll();
    const [warning, ...none] = await emailsTo(owner);
    expect(none).toEqual([]);
    expect(warning).toMatchObject({ kind: "quota_warning", subject: "Tool has used 80% of its daily limit" });
    expect(warning?.body_text).toContain("9 / 10");
    expect(warning?.body_text).toContain(`/o/${slug}/usage`);
    await Promise.all(Array.from({ length: 3 }, () => api.validate({ license_key: "none" })));
    await runAll();
    await runAll();
    await Promise.all(nodes.map((node) => node.close()));
    expect(await kindsTo(owner)).toEqual(["quota_exhausted", "quota_warning"]);
    const exhausted = (await emailsTo(owner)).find(({ kind }) => kind === "quota_exhausted");
    expect(exhausted?.body_text).toContain("10 / 10");
    expect((await emailsTo(payer)).map(({ subject }) => subject).sort()).toEqual([
      "Tool hat 80 % des Tageslimits verbraucht",
      "Tool hat das Tageslimit erreicht",
    ]);
    expect(await emailsTo(other)).toEqual([]);
  });

  test("an organization gets ten a day, then one that says that there are more, and none after it", async () => {
    const [many, few] = [await organization(), await organization()];
    const products = [];
    for (let index = 0; index < 15; index++) products.push((await many.product(`Tool ${index}`)).id);
    const { id: single } = await few.product("Single");
    const atMs = await fixture.store.clock();
    await record(atMs, many.id, products.slice(0, 12));
    await record(atMs, few.id, [single]);
    await Promise.all([run(atMs), run(atMs)]);
    await record(atMs, many.id, products.slice(12), "quota.exhausted");
    await run(atMs);
    expect(await kindsTo(many.owner)).toEqual(["quota_more", ...Array(10).fill("quota_warning")]);
    expect(await kindsTo(few.owner)).toEqual(["quota_warning"]);
    const tomorrowMs = (quotaDay(atMs) + 1) * dayMs + 1_000;
    await record(tomorrowMs, many.id, products.slice(0, 1));
    await run(tomorrowMs);
    expect(await emailsTo(many.owner)).toHaveLength(12);
  });

  test("a mark that is reached again on the same day, under another limit, causes no second one", async () => {
    const { id, owner, product } = await organization();
    const { id: productId } = await product("Tool");
    const atMs = await fixture.store.clock();
    await record(atMs, id, [productId]);
    await run(atMs);
    await record(atMs, id, [productId, productId]);
    await run(atMs);
    expect(await kindsTo(owner)).toEqual(["quota_warning"]);
  });

  test("none is written about deleted products, suspended organizations and days that are over", async () => {
    const [deleted, suspended, late] = [await organization(), await organization(), await organization()];
    const ids = await Promise.all(
      [deleted, suspended, late].map(async ({ product }) => (await product("Tool")).id),
    );
    await deleted.owner.api.delete(`/products/${ids[0]}`);
    await change(suspended.id, { suspended_at: 1_000 });
    const atMs = await fixture.store.clock();
    await record(atMs, deleted.id, [ids[0] ?? ""]);
    await record(atMs, suspended.id, [ids[1] ?? ""]);
    await record(quotaDay(atMs) * dayMs - 1, late.id, [ids[2] ?? ""]);
    await run(atMs);
    for (const { owner } of [deleted, suspended, late]) expect(await emailsTo(owner)).toEqual([]);
  });

  test("an event that is committed after a later one is not missed", async () => {
    const { id, owner, product } = await organization();
    const [first, second] = [(await product("First")).id, (await product("Second")).id];
    const dayStartMs = quotaDay(await fixture.store.clock()) * dayMs;
    const atMs = Math.max(await fixture.store.clock(), dayStartMs + 60_000);
    await record(atMs, id, [second]);
    await run(atMs);
    await record(atMs - 30_000, id, [first]);
    await run(atMs + 1_000);
    expect(await kindsTo(owner)).toEqual(["quota_warning", "quota_warning"]);
  });

  test("notices are pruned after their day", async () => {
    const { id, product } = await organization();
    const { id: productId } = await product("Tool");
    const atMs = await fixture.store.clock();
    await record(atMs, id, [productId]);
    await run(atMs);
    const stored = async () =>
      fixture.store.reads.selectFrom("quota_notices").selectAll().where("organization_id", "=", id).execute();
    await usagePruning(fixture.store, async () => atMs + dayMs).run();
    expect(await stored()).toHaveLength(1);
    await usagePruning(fixture.store, async () => atMs + 3 * dayMs).run();
    expect(await stored()).toEqual([]);
  });

  test("events are read along their own index, however many others there are", async () => {
    const organizationId = newId();
    await fixture.store.transaction((db) =>
      fixture.store.bulk.insert(
        db,
        "events",
        Array.from({ length: 5_000 }, () => ({
          id: newId(),
          organization_id: organizationId,
          product_id: null,
          license_id: null,
          type: "license.created" as const,
          at: Date.now(),
          data: "{}",
          undistributed: null,
        })),
      ),
    );
    const { store, plans } = watched(fixture.store);
    await quotaEventsAfter(store.listReads, { at: 1, id: firstUuidAt(1) }, 10);
    for (const { text, plan } of await plans()) {
      expect(plan).toContain("events_of_quota");
      const bad = kind === "sqlite" ? /SCAN|TEMP B-TREE/ : /Seq Scan|Sort/;
      expect(bad.test(plan) ? `${text}\n${plan}` : "").toBe("");
    }
  });
});
