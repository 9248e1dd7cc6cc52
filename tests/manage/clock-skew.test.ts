import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { postgres } from "../support/databases.ts";
import { type Office, openOffice } from "../support/office.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;

for (const aheadMs of [-2 * hourMs, 2 * hourMs]) {
  describe(`on a node whose clock is ${aheadMs / hourMs} hours ahead of the database`, () => {
    let office: Office;
    beforeAll(async () => {
      office = await openOffice(postgres.make, {
        BUN_OPTIONS: `--preload ${join(import.meta.dir, "../support/shifted-clock.ts")}`,
        TEST_CLOCK_AHEAD_MS: String(aheadMs),
      });
    });
    afterAll(() => office.close());

    test("its clock is off, as this test means it to be", async () => {
      const log = office.server.output().split("\n")[0] ?? "{}";
      const offMs = Date.parse(JSON.parse(log).time) - Date.now();
      expect(Math.abs(offMs - aheadMs)).toBeLessThan(60_000);
    });

    test("expires_in_seconds counts from the database's clock", async () => {
      const path = `/products/${office.productId}/licenses`;
      const { status, body } = await office.owner.api.post(path, {
        customer_email: "ada@example.com",
        expires_in_seconds: 3600,
      });
      expect(status).toBe(201);
      const fromNowMs = Date.parse(body.expires_at) - Date.now();
      expect(Math.abs(fromNowMs - hourMs)).toBeLessThan(60_000);
      expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(60_000);
      const validated = await office.publicApi.validate({ license_key: body.license_key });
      expect(validated.body.status).toBe("active");

      const changed = await office.owner.api.patch(`/licenses/${body.id}`, { expires_in_seconds: 7200 });
      expect(changed.status).toBe(200);
      expect(Math.abs(Date.parse(changed.body.expires_at) - Date.now() - 2 * hourMs)).toBeLessThan(60_000);
      const shown = await office.owner.api.get(`/licenses/${body.id}`);
      expect(shown.body.status).toBe("active");
    });
  });
}
