import { expect, setDefaultTimeout, test } from "bun:test";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/** What is logged of other requests: tests/manage/requests.test.ts. */
testsOn(
  "sqlite",
  "requests beyond the limit",
  (make) => openPublicApiFixture(make, { dailyLimit: 0 }, { why: "is stopped" }),
  (fixture) => {
    test("the request log sums up requests beyond the daily limit, and loses none when the server stops", async () => {
      const { organizationId, productId: product_id } = fixture.org;
      const validate = () => fixture.api.validate({ license_key: "A" });
      const answers = await Promise.all(Array.from({ length: 40 }, validate));
      await fixture.server.stop();
      const rows = await requestLog(fixture.store, { organization_id: organizationId });
      expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(40);
      // Two each, in at most two minutes.
      expect(rows.length).toBeLessThanOrEqual(4);
      const ids = answers.map(({ headers }) => headers.get("x-request-id"));
      const limited = { status: "rate_limit_exceeded", endpoint: "validate", product_id, ip: "127.0.0.1" };
      for (const row of rows) {
        expect(ids).toContain(row.id);
        expect(row).toMatchObject(limited);
        expect(row.duration_us).toBeGreaterThan(0);
      }
    });
  },
);
