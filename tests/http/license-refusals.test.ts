import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { licenseRefusals } from "@countersign/store/queries/requests/license-refusals";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { arrange } from "./arrange-outcome.ts";
import { outcomeRows } from "./outcome-rows.ts";

setDefaultTimeout(60_000);

/** The refusals that concern a license. All others are answered without looking one up. */
const ofLicense = [
  "revoked",
  "expired",
  "ip_blocked",
  "ip_not_registered",
  "ip_limit_reached",
  "version_not_allowed",
];
const others = [
  "product_not_found",
  "org_suspended",
  "billing_suspended",
  "product_archived",
  "product_disabled",
  "license_not_found",
];

describe.each(on("sqlite"))("refused validations of a license on $kind", ({ make }) => {
  let fixture: PublicApiFixture;
  beforeAll(async () => {
    fixture = await openPublicApiFixture(make);
  });
  afterAll(() => fixture.close());

  const logged = async (organizationId: string) => {
    const rows = await requestLog(fixture.org.store, { organization_id: organizationId });
    return rows.map(({ status, license_id }) => ({ status, license_id }));
  };

  /** A license to which a validation with this status is the answer, and that validation. */
  const refuse = async (status: string, requests = 1) => {
    const row = outcomeRows.find((row) => row.status === status);
    if (row === undefined) throw new Error(`No row has the status ${status}.`);
    const { plan, product: settings } = row;
    const org = await openTestOrganization(null, {
      store: fixture.org.store,
      ...(plan === undefined ? {} : { plan }),
      ...(settings === undefined ? {} : { settings }),
    });
    const { key, licenseId, undo } = await arrange(org, row);
    const api = apiOf(fixture.server.url, org.apiKey);
    const sent = { license_key: key, ...row.sends };
    const answers = await Promise.all(Array.from({ length: requests }, () => api.validate(sent)));
    await undo();
    expect(answers.map(({ body }) => body.status)).toEqual(answers.map(() => status));
    return { api, sent, licenseId, organizationId: org.organizationId, version: row.sends?.version ?? null };
  };

  test.each(ofLicense)("%s is logged with the license and counted", async (status) => {
    const startMs = Date.now();
    const { licenseId, organizationId, version } = await refuse(status);
    await until("the request is logged", async () => (await logged(organizationId)).length === 1);
    expect(await logged(organizationId)).toEqual([{ status, license_id: licenseId }]);
    const found = await licenseRefusals(fixture.org.store.reads, [
      { licenseId, sinceMs: startMs - clockToleranceMs },
    ]);
    expect(found).toMatchObject([
      { license_id: licenseId, status, count: 1, last_ip: "127.0.0.1", last_version: version },
    ]);
  });

  test.each(others)("%s is logged without a license and not counted", async (status) => {
    const { licenseId, organizationId } = await refuse(status);
    await until("the request is logged", async () => (await logged(organizationId)).length === 1);
    expect(await logged(organizationId)).toEqual([{ status, license_id: null }]);
    expect(await licenseRefusals(fixture.org.store.reads, [{ licenseId, sinceMs: 0 }])).toEqual([]);
  });

  test("every one is counted, and neither active validations nor lookups are", async () => {
    const { api, sent, licenseId, organizationId } = await refuse("ip_limit_reached", 30);
    await api.lookup(sent.license_key);
    await fixture.org.store.transaction((db) =>
      db.updateTable("licenses").set({ max_ips: 2 }).where("id", "=", licenseId).execute(),
    );
    expect((await api.validate(sent)).body.status).toBe("active");
    await until("all requests are logged", async () => (await logged(organizationId)).length === 32);
    const found = await licenseRefusals(fixture.org.store.reads, [{ licenseId, sinceMs: 0 }]);
    // Two rows of the table if midnight passes meanwhile, but one count.
    expect(found).toMatchObject([{ status: "ip_limit_reached", count: 30 }]);
  });
});

/** The database's clock, which the server follows, and this process's can differ a little. */
const clockToleranceMs = 1_000;
