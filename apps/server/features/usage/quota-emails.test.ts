import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { times, validate, validateAll } from "../../../../packages/store/suite/calls.ts";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { makeEvents } from "../../../../tests/support/webhooks.ts";
import { pruningJobs } from "../../jobs/pruning.ts";
import { quotaEmails } from "./quota-emails.ts";

onDatabase("postgres", "emails about reached daily limits", (fixture) => {
  /** An organization with an owner. */
  const openOrganization = async (dailyLimit: number | null = null) => {
    const owner = await fixture.user();
    const org = await fixture.organization({ dailyLimit });
    await fixture.change("organizations", org.organizationId, { owner_id: owner.id });
    return { ...org, owner };
  };
  const record = async (
    at: number,
    organizationId: string,
    productIds: readonly string[],
    exhausted = false,
  ) => {
    const type = exhausted ? "quota.exhausted" : "quota.warning";
    const data = JSON.stringify({ limit: 10_000, used: 8_000 });
    for (const product_id of productIds)
      await makeEvents(fixture.store, organizationId, 1, { product_id, type, at, data });
  };
  const run = (atMs: number) =>
    quotaEmails(fixture.store, "https://countersign.example", async () => atMs).run();
  const emailsTo = ({ email }: { email: string }) => openedEmails(fixture.store, { to: email });
  const kindsTo = async (person: { email: string }) =>
    (await emailsTo(person)).map(({ kind }) => kind).sort();

  test("the owner and members who manage billing get one email for each mark, on any number of nodes", async () => {
    const { organizationId, productId, apiKey, owner } = await openOrganization(10);
    const payer = await fixture.member(organizationId, ["billing:manage"]);
    const other = await fixture.member(organizationId, ["products:manage"]);
    await fixture.change("users", payer.id, { locale: "de" });
    const validateAndRun = async (count: number) => {
      await validateAll(
        fixture.store,
        times(count, () => validate(apiKey, "NONE")),
      );
      // The time of the last event: near midnight, the clock may be a day further.
      const events = await fixture.rows("events", { product_id: productId });
      const atMs = Math.max(...events.map(({ at }) => at));
      for (let round = 0; round < 2; round++) await Promise.all([run(atMs), run(atMs), run(atMs)]);
    };
    await validateAndRun(9);
    const [warning, ...none] = await emailsTo(owner);
    expect(none).toEqual([]);
    const subject = "Test Product has used 80% of its daily limit";
    expect(warning).toMatchObject({ kind: "quota_warning", subject });
    expect(warning?.body_text).toContain("9 / 10");
    expect(warning?.body_text).toContain(`/o/org-${organizationId}/usage`);
    await validateAndRun(3);
    expect(await kindsTo(owner)).toEqual(["quota_exhausted", "quota_warning"]);
    const exhausted = (await emailsTo(owner)).find(({ kind }) => kind === "quota_exhausted");
    expect(exhausted?.body_text).toContain("10 / 10");
    expect((await emailsTo(payer)).map(({ subject }) => subject).sort()).toEqual([
      "Test Product hat 80 % des Tageslimits verbraucht",
      "Test Product hat das Tageslimit erreicht",
    ]);
    expect(await emailsTo(other)).toEqual([]);
  });

  test("an organization gets ten emails a day, then one that says that there are more, and none after it", async () => {
    const [many, few] = [await openOrganization(), await openOrganization()];
    const products = (await Promise.all(times(15, () => many.product()))).map(({ productId }) => productId);
    const atMs = await fixture.store.clock();
    await record(atMs, many.organizationId, products.slice(0, 12));
    await record(atMs, few.organizationId, [few.productId]);
    await Promise.all([run(atMs), run(atMs)]);
    await record(atMs, many.organizationId, products.slice(12), true);
    await run(atMs);
    expect(await kindsTo(many.owner)).toEqual(["quota_more", ...Array(10).fill("quota_warning")]);
    expect(await kindsTo(few.owner)).toEqual(["quota_warning"]);
    const tomorrowMs = (quotaDay(atMs) + 1) * dayMs + 1_000;
    await record(tomorrowMs, many.organizationId, products.slice(0, 1));
    await run(tomorrowMs);
    expect(await emailsTo(many.owner)).toHaveLength(12);
  });

  test("no email is written about deleted products, suspended organizations and days that are over", async () => {
    const [deleted, suspended] = [await openOrganization(), await openOrganization()];
    const late = await openOrganization();
    await fixture.change("products", deleted.productId, { deleted_at: 1 });
    await fixture.change("organizations", suspended.organizationId, { suspended_at: 1_000 });
    const atMs = await fixture.store.clock();
    for (const org of [deleted, suspended]) await record(atMs, org.organizationId, [org.productId]);
    await record(quotaDay(atMs) * dayMs - 1, late.organizationId, [late.productId]);
    await run(atMs);
    for (const { owner } of [deleted, suspended, late]) expect(await emailsTo(owner)).toEqual([]);
  });

  test("an event that is committed after a later one is not missed", async () => {
    const { organizationId, productId, product, owner } = await openOrganization();
    const { productId: second } = await product();
    const dayStartMs = quotaDay(await fixture.store.clock()) * dayMs;
    const atMs = Math.max(await fixture.store.clock(), dayStartMs + 60_000);
    await record(atMs, organizationId, [second]);
    await run(atMs);
    await record(atMs - 30_000, organizationId, [productId]);
    await run(atMs + 1_000);
    expect(await kindsTo(owner)).toEqual(["quota_warning", "quota_warning"]);
  });

  test("counts are pruned after 13 months and marks that were notified after their day, by several nodes at once", async () => {
    const { organizationId, productId } = await openOrganization();
    const atMs = await fixture.store.clock();
    const today = quotaDay(atMs);
    await record(atMs, organizationId, [productId]);
    await run(atMs);
    const days = [today, today - 395, ...times(1_200, (index) => today - 396 - index)];
    const count = { product_id: productId, used: 1, last_granted: 1, daily_limit: null };
    const rows = days.map((day) => ({ ...count, day }));
    await fixture.write((db) => fixture.store.bulk.insert(db, "daily_usage", rows));
    const prune = async (clock: () => Promise<number>) => {
      for (const job of pruningJobs(fixture.store, true, clock)) await job.run();
    };
    const left = async (days: number) => {
      const clock = async () => atMs + days * dayMs;
      await Promise.all(times(3, () => prune(clock)));
      const notices = await fixture.rows("quota_notices", { organization_id: organizationId });
      const counts = await fixture.rows("daily_usage", { product_id: productId });
      return [notices.length, ...counts.map(({ day }) => today - day).sort()];
    };
    expect(await left(0)).toEqual([1, 0, 395]);
    expect(await left(1)).toEqual([1, 0]);
    expect(await left(3)).toEqual([0, 0]);
  });
});
