import { expect, setDefaultTimeout, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { openJournal } from "@countersign/store/databases/open";
import { setDailyUsage } from "@countersign/store/queries/usage/daily";
import { closeSegments, logRequests } from "../support/journal.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { transferRow } from "../support/transfer-row.ts";

setDefaultTimeout(60_000);

/** Which refusals need attention: packages/domain/analytics/refusals.test.ts. */
testsOn("sqlite", "what needs attention", openManageFixture, (fixture) => {
  const anOrganization = async () => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "Attentive" });
    const organizationId = String(body.id);
    const path = `/organizations/${organizationId}`;
    const product = await owner.api.post(`${path}/products`, { name: "Plugin" });
    const ids = { organization_id: organizationId, product_id: String(product.body.id) };
    const row = { ...ids, endpoint: "validate" as const };
    return {
      owner,
      organizationId,
      productId: ids.product_id,
      path,
      attention: async (api = owner.api) => {
        const { status, text, body: answer } = await api.get(`${path}/attention`);
        expect(status, text).toBe(200);
        return answer.data as readonly Record<string, unknown>[];
      },
      log: (rows: readonly object[]) =>
        logRequests(
          fixture.database.location,
          rows.map((one) => ({ ...row, ...one })),
        ),
    };
  };

  test("nothing needs attention in a new organization, nor when a few validations are refused", async () => {
    const { attention, log } = await anOrganization();
    expect(await attention()).toEqual([]);
    await log([{ at: Date.now() - hourMs, status: "expired", count: 19 }]);
    expect(await attention()).toEqual([]);
  });

  test("refusals are compared with the week before, whether their part of the log is closed or not", async () => {
    const { attention, log } = await anOrganization();
    const nowMs = Date.now();
    await log([
      { at: nowMs - 3 * dayMs, count: 190 },
      { at: nowMs - 3 * dayMs, status: "expired", count: 10 },
      // Neither these nor lookups are validations of the last week.
      { at: nowMs - 9 * dayMs, status: "expired", count: 5_000 },
      { at: nowMs - 2 * hourMs, endpoint: "lookup", status: "not_found", count: 900 },
      { at: nowMs - 2 * hourMs, count: 60 },
      { at: nowMs - 2 * hourMs, status: "ip_limit_reached", count: 30 },
    ]);
    const journal = await openJournal(fixture.database.location);
    await closeSegments(journal, nowMs);
    await journal.close();
    await log([{ at: nowMs, status: "expired", count: 10 }]);
    const [first, ...rest] = await attention();
    expect(first).toMatchObject({
      ...{ kind: "refusals", change: "risen", validations: 100, refused: 40, usual_share: 0.05 },
      ...{ outcome: "ip_limit_reached", outcome_count: 30 },
    });
    expect(Date.parse(String(first?.to)) - Date.parse(String(first?.from))).toBe(dayMs);
    expect(rest).toEqual([]);
  });

  test("a used up limit, undelivered events, waiting transfers and unused API keys are listed in this order", async () => {
    const { attention, organizationId, productId, path, owner } = await anOrganization();
    const url = "https://hooks.example.com/countersign";
    const webhook = await owner.api.post(`${path}/webhooks`, { url, description: "" });
    const nowMs = Date.now();
    await fixture.store.transaction(async (db) => {
      await setDailyUsage(db, productId, quotaDay(nowMs), 8_000);
      const limited = db.updateTable("organizations").set({ daily_limit_override: 10_000 });
      await limited.where("id", "=", organizationId).execute();
      const failing = db.updateTable("webhook_endpoints").set({ failing_since: nowMs - hourMs });
      await failing.where("id", "=", String(webhook.body.id)).execute();
      const created = { created_at: nowMs - 30 * dayMs, last_used_at: null };
      await db.updateTable("product_api_keys").set(created).where("product_id", "=", productId).execute();
      const transfer = transferRow({ organization_id: organizationId, product_id: productId });
      await db.insertInto("transfers").values(transfer).execute();
    });
    const product = { product_id: productId, product_name: "Plugin" };
    const expected = [
      { kind: "quota", ...product, used_today: 8_000, daily_limit: 10_000 },
      { kind: "webhook", webhook_id: webhook.body.id, description: "", url, state: "failing" },
      { kind: "transfers", waiting: 1 },
      { kind: "unused_api_keys", ...product, api_keys: 1 },
    ];
    expect(await attention()).toMatchObject(expected);
    // Each member sees what their permissions show.
    const reviewer = await fixture.member(["transfers:review"], organizationId);
    expect(await attention(reviewer.api)).toEqual([{ kind: "transfers", waiting: 1 }]);
    const nobody = await fixture.member([], organizationId);
    expect(await attention(nobody.api)).toEqual([]);
    // Disabled by hand is a decision.
    const disabled = await owner.api.post(`${path}/webhooks/${webhook.body.id}/disable`);
    expect(disabled.status, disabled.text).toBe(200);
    expect((await attention()).map(({ kind }) => kind)).toEqual(["quota", "transfers", "unused_api_keys"]);
  });
});
