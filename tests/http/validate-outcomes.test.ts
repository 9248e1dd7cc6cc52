import { expect, setDefaultTimeout, test } from "bun:test";
import { licenseRefusals } from "@countersign/store/queries/requests/license-refusals";
import { apiOf } from "../support/api.ts";
import { openPublicApiFixture, registeredIps } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { arrange, expectedBody } from "./arrange-outcome.ts";
import { type OutcomeRow, outcomeRows } from "./outcome-rows.ts";

setDefaultTimeout(60_000);

/** These are answered without looking a license up. */
const withoutLicense = /^(license_not_found|product_.+|org_suspended|billing_suspended)$/;

testsOn("postgres", "validate", openPublicApiFixture, (fixture) => {
  const validated: { row: OutcomeRow; organizationId: string; licenseId: string }[] = [];

  test.each(outcomeRows.map((row) => [row.name, row] as const))("%s", async (_, row) => {
    const { product: settings = {}, version, registeredIps: before = [], expected } = row;
    const org = await openTestOrganization(null, { store: fixture.store, settings });
    const { key, licenseId } = await arrange(org, row);
    const answer = await apiOf(fixture.url, org.apiKey).validate({ license_key: key, version });
    expect(answer).toMatchObject({ status: 200, text: expectedBody(row) });
    expect(answer.headers.get("x-countersign-problem")).toBeNull();
    const added = expected?.ip_registered ? ["127.0.0.1"] : [];
    expect(await registeredIps(org.store, licenseId)).toEqual([...before, ...added]);
    validated.push({ row, organizationId: org.organizationId, licenseId });
  });

  test("every outcome of a license is logged with the license, and its refusals are counted", async () => {
    for (const { row, organizationId, licenseId } of validated) {
      const { status, name, version = null } = row;
      const logged = () => requestLog(fixture.store, { organization_id: organizationId });
      await until(`${name}: the request is logged`, async () => (await logged()).length > 0);
      const license_id = withoutLicense.test(status) ? null : licenseId;
      const entries = (await logged()).map((entry) => [entry.status, entry.license_id]);
      expect(entries, name).toEqual([[status, license_id]]);
      const refusals = await licenseRefusals(fixture.store.reads, [{ licenseId, sinceMs: 0 }]);
      const refusal = { license_id, status, count: 1, last_ip: "127.0.0.1", last_version: version };
      expect(refusals, name).toMatchObject(license_id === null || status === "active" ? [] : [refusal]);
    }
  });

  test("an imported key keeps its format and is found regardless of case and spaces", async () => {
    await fixture.org.license({ key: "old/Shop #42 – ünïcode" });
    const answer = await fixture.api.validate({ license_key: " OLD/shop #42 – ÜNÏcode\t\n" });
    expect(answer.body.status).toBe("active");
  });

  test("a license key of another product is not found", async () => {
    const { key } = await fixture.org.license();
    const { apiKey } = await fixture.org.product();
    const answer = await apiOf(fixture.url, apiKey).validate({ license_key: key });
    expect(answer.text).toBe(expectedBody({ status: "license_not_found" }));
  });
});
