import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "@countersign/store/open";
import { openGeo } from "../../apps/server/features/geoip/geo-file.ts";
import { sqlite } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { mmdb } from "../support/mmdb.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const file = mmdb({
  "192.0.2.0/24": { country: "DE", latitude: 52.52, longitude: 13.4 },
  "198.51.100.0/24": { country: "US", latitude: 40.71, longitude: -74 },
});
const folder = mkdtempSync(join(tmpdir(), "countersign-geoip-"));
const path = join(folder, "cities.mmdb");
// Where IP addresses are does not depend on the database.
const { make } = sqlite;
let fixture: ManageFixture;
beforeAll(async () => {
  writeFileSync(path, file);
  fixture = await openManageFixture(make, {
    why: "has a GeoIP file",
    environment: { COUNTERSIGN_GEOIP_FILE: path },
  });
});
afterAll(async () => {
  await fixture?.close();
  rmSync(folder, { recursive: true });
});

test("requests are counted by country, and a license that changes place impossibly fast is a suspect", async () => {
  const { owner, organizationId, productId, publicApi } = fixture;
  const { body: license } = await owner.api.post(`/products/${productId}/licenses`, {
    customer_email: "traveller@example.com",
    ip_system_enabled: false,
  });
  const validate = (ip: string) =>
    publicApi.validate({ license_key: license.license_key }, { "x-forwarded-for": ip });
  for (const ip of ["192.0.2.7", "192.0.2.8", "198.51.100.9", "203.0.113.1"])
    expect((await validate(ip)).body.status).toBe("active");
  const analytics = async (rest = "") =>
    (await owner.api.get(`/organizations/${organizationId}/analytics${rest}`)).body;
  await until("four requests are counted", async () => (await analytics()).totals.requests === 4);
  const check = async () => {
    const { has_countries, countries } = await analytics();
    expect(has_countries).toBe(true);
    expect(countries).toEqual([
      { country: "DE", requests: 2, previous_requests: 0 },
      { country: null, requests: 1, previous_requests: 0 },
      { country: "US", requests: 1, previous_requests: 0 },
    ]);
    const { has_places, data } = await analytics("/sharing");
    expect(has_places).toBe(true);
    expect(data).toMatchObject([
      {
        license_id: license.id,
        reasons: ["impossible_travel"],
        travel: {
          before: { ip: "192.0.2.8", country: "DE", device_ids: [] },
          after: { ip: "198.51.100.9", country: "US" },
          distance_km: 6_385,
        },
      },
    ]);
  };
  await check();
  // As if time had passed.
  const geo = await openGeo(file);
  const journal = await openJournal(fixture.database.location, () => geo);
  while ((await journal.closeSegment(Date.now() + 3_600_000)) > 0);
  await journal.close();
  await check();
});
