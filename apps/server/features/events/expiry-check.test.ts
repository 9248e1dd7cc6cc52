import { beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { dayMs } from "@countersign/domain/dates/lengths";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { removeState, setState, stateOf } from "@countersign/store/queries/admin/platform-state";
import * as changes from "@countersign/store/queries/licenses/changes";
import { createLicenses, type NewLicense } from "@countersign/store/queries/licenses/create";
import { licenseViews } from "@countersign/store/queries/licenses/views";
import { distribution } from "@countersign/store/tables/events";
import { addLicense } from "../../../../tests/support/add-license.ts";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { readConfig } from "../../base/config.ts";
import { expiryCheck } from "./expiry-check.ts";
import { type ChangeEvent, recordingChanges, watchedUntil } from "./record-changes.ts";

const startMs = Date.UTC(2030, 5, 1);
const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "1000" });

onDatabase("postgres", "the check of expiries", (fixture) => {
  const { write } = fixture;
  let org: TestOrganization;
  let customer: string;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = startMs;
    customer = `${newId()}@example.net`;
    org = await fixture.organization({ settings: { expiring_soon_email: 1 } });
    // As if none had ever run.
    await write((db) => removeState(db, watchedUntil));
  });

  /** Runs the checks of several nodes at the same time. */
  const runAt = async (ms: number, nodes = 1) => {
    nowMs = ms;
    const check = () => expiryCheck(fixture.store, config, async () => nowMs).run();
    await Promise.all(Array.from({ length: nodes }, check));
  };
  const license = (expiresAtMs: number, product: { readonly productId: string } = org) =>
    addLicense(org, { expiresAtMs, productId: product.productId, customer: { email: customer } });
  const recorded = async () => {
    const rows = await fixture.rows("events", { organization_id: org.organizationId });
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
  };
  const types = async () => (await recorded()).map(({ type }) => type);
  const emails = () => openedEmails(fixture.store, { to: customer });
  /** Changes a license at this time. */
  const changeAt = (ms: number, id: string, type: ChangeEvent, change: changes.LicenseChange) => {
    nowMs = ms;
    return write((db) =>
      recordingChanges(db, ms, type, [id], async () => {
        await change.apply(db, await licenseViews(db, [id]));
      }),
    );
  };
  const renewal = changes.extending({ ms: 30 * dayMs }, startMs + 8_000);

  test("the first check ever records nothing for licenses that expired earlier", async () => {
    for (const days of [400, 1]) await license(startMs - days * dayMs);
    for (const days of [0, 1]) await runAt(startMs + days * dayMs);
    expect([await recorded(), await emails()]).toEqual([[], []]);
  });

  test("an expiry is announced the product's number of days ahead, by email if it says so, once on any number of nodes", async () => {
    const month = await org.product({ expiring_soon_email: 1, expiring_soon_days: 30, locale: "de" });
    const silent = await org.product({ expiring_soon_days: 20 });
    const endsAtMs = startMs + 40 * dayMs;
    const [week, early] = [await license(endsAtMs), await license(endsAtMs, month)];
    const quiet = await license(endsAtMs, silent);
    await addLicense(org);
    for (const day of [0, 9.9, 10, 11, 20, 32.9, 33, 34, 39.9, 40, 41]) await runAt(startMs + day * dayMs, 3);
    const events = await recorded();
    expect(events.map(({ type, license_id, at }) => [type, license_id, (at - startMs) / dayMs])).toEqual([
      ["license.expiring_soon", early.id, 10],
      ["license.expiring_soon", quiet.id, 20],
      ["license.expiring_soon", week.id, 33],
      ...[week, early, quiet].map(({ id }) => ["license.expired", id, 40]),
    ]);
    const sent = (data: object) => ({ undistributed: distribution.waiting, data });
    expect(events[0]).toMatchObject(sent({ license_id: early.id, license: { status: "active" } }));
    expect(events[3]).toMatchObject(sent({ license: { status: "expired" } }));
    const [first, second, ...others] = await emails();
    const german = "Deine Lizenz für Test Product läuft bald ab";
    expect(first).toMatchObject({
      created_at: startMs + 10 * dayMs,
      kind: "license_expiring",
      subject: german,
    });
    for (const part of [early.key, "11. Juli 2030"]) expect(first?.body_text).toContain(part);
    const english = "Your Test Product license expires soon";
    expect(second).toMatchObject({ created_at: startMs + 33 * dayMs, subject: english });
    expect(others).toEqual([]);
  });

  test.each<[what: string, type: ChangeEvent, change: changes.LicenseChange]>([
    ["renewed", "license.renewed", renewal],
    ["given another expiry", "license.updated", changes.settingExpiry(startMs + 90 * dayMs, startMs + 8_000)],
    ["revoked", "license.revoked", changes.revoking(null, startMs + 8_000)],
    ["deleted", "license.deleted", changes.deleting()],
  ])(
    "a license that is %s between its expiry and the next check records the expiry first, once",
    async (_what, type, change) => {
      const { id } = await license(startMs + 5_000);
      await runAt(startMs);
      await changeAt(startMs + 8_000, id, type, change);
      expect<string[]>(await types()).toEqual(["license.expired", type]);
      expect((await recorded())[0]?.data.license).toMatchObject({ status: "expired" });
      await runAt(startMs + 10_000);
      expect(await types()).toHaveLength(2);
    },
  );

  test.each<[what: string, expiresAtMs: number, checksAtMs: number[], types: string[]]>([
    ["again if the check came first", startMs + 5_000, [startMs, startMs + 7_000], ["license.expired"]],
    ["before the first check ever", startMs - 400 * dayMs, [], []],
    ["from long before the first check", startMs - 400 * dayMs, [startMs], []],
  ])("a renewal does not record an expiry %s", async (_what, expiresAtMs, checksAtMs, before) => {
    const { id } = await license(expiresAtMs);
    for (const ms of checksAtMs) await runAt(ms);
    await changeAt(startMs + 8_000, id, "license.renewed", renewal);
    expect<string[]>(await types()).toEqual([...before, "license.renewed"]);
  });

  test("a license that expires while it is revoked records its expiry when it is reinstated", async () => {
    const { id } = await license(startMs + 5_000);
    await runAt(startMs);
    await changeAt(startMs + 1_000, id, "license.revoked", changes.revoking(null, startMs + 1_000));
    const laterMs = startMs + 10 * dayMs;
    await runAt(laterMs);
    await changeAt(laterMs, id, "license.reinstated", changes.reinstating(laterMs));
    expect(await types()).toEqual(["license.revoked", "license.reinstated", "license.expired"]);
    await runAt(startMs + 11 * dayMs);
    expect(await types()).toHaveLength(3);
  });

  test("a license whose expiry is set within its warning period is announced once, at the next check", async () => {
    await runAt(startMs);
    const create = async (columns: Partial<NewLicense>) => {
      const id = newId();
      const { organizationId, productId } = org;
      const key = generateLicenseKey(randomBytes);
      const license = { organizationId, productId, customerId: null, maxIps: 1, ...columns, id, key };
      await write((db) => createLicenses(db, [license], startMs + 1_000));
      return id;
    };
    const soonMs = startMs + 3 * dayMs;
    const created = await create({ expiresAtMs: soonMs });
    const later = await create({ expiresAtMs: startMs + 8 * dayMs });
    const revoked = await create({ expiresAtMs: soonMs, revokedAtMs: startMs });
    const shortened = await create({ expiresAtMs: startMs + 90 * dayMs });
    await create({ expiresAtMs: startMs + 500 });
    for (const ms of [2_000, 12_000]) await runAt(startMs + ms, 3);
    const announced = async () =>
      (await recorded()).flatMap(({ type, license_id: id }) =>
        type === "license.expiring_soon" ? [id] : [],
      );
    expect(await announced()).toEqual([created]);
    const ms = startMs + 15_000;
    await changeAt(ms, shortened, "license.updated", changes.settingExpiry(soonMs, ms));
    await changeAt(ms, revoked, "license.reinstated", changes.reinstating(ms));
    await changeAt(ms, created, "license.updated", changes.addingTags(["vip"], 10, ms));
    for (const ms of [22_000, 32_000]) await runAt(startMs + ms, 3);
    expect((await announced()).sort()).toEqual([created, shortened, revoked].sort());
    await runAt(startMs + 2 * dayMs);
    expect((await announced()).filter((id) => id === later)).toEqual([later]);
    expect(await fixture.rows("unannounced_expiries", {})).toEqual([]);
  });

  test("after downtime, all expiries are recorded, and none as expiring_soon that have already expired", async () => {
    const [gone, later] = [await license(startMs + 9 * dayMs), await license(startMs + 12 * dayMs)];
    await runAt(startMs);
    await runAt(startMs + 10 * dayMs);
    expect((await recorded()).map(({ type, license_id: id }) => [type, id])).toEqual([
      ["license.expired", gone.id],
      ["license.expiring_soon", later.id],
    ]);
    expect(await emails()).toMatchObject([{ body_text: expect.stringContaining(later.key) }]);
  });

  test("a changed expiry is announced and recorded again, and a check that is repeated does neither", async () => {
    const { id } = await license(startMs + 8 * dayMs);
    await runAt(startMs);
    const state = (await stateOf(fixture.reads, watchedUntil)) ?? "";
    const runTwice = async (day: number) => {
      await runAt(startMs + day * dayMs);
      // As if the check had been interrupted.
      await write((db) => setState(db, watchedUntil, state));
      await runAt(startMs + day * dayMs);
    };
    await runTwice(2);
    await fixture.change("licenses", id, { expires_at: startMs + 30 * dayMs });
    await runTwice(24);
    await runTwice(30);
    const dates = ["June 9, 2030", "July 1, 2030"];
    const announced = dates.map((date) => ({ body_text: expect.stringContaining(date) }));
    expect(await emails()).toMatchObject(announced);
    const soon = "license.expiring_soon";
    expect(await types()).toEqual([soon, soon, "license.expired"]);
  });
});
