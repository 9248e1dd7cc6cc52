import { expect, test } from "bun:test";
import { revoking } from "@countersign/store/queries/licenses/changes";
import { licenseViews, shownLicenses } from "@countersign/store/queries/licenses/views";
import { distribution } from "@countersign/store/tables/events";
import { idsOf, onDatabase } from "../../../../tests/support/query-tests.ts";
import { recordBulkRevoked, recordingChanges } from "./record-changes.ts";

const nowMs = Date.UTC(2030, 5, 1);
const { waiting, none } = distribution;

onDatabase("sqlite", "the events of changes", (fixture) => {
  const { write } = fixture;

  test("a bulk revocation is sent as one event for each product, and the events of its licenses are only listed", async () => {
    const { organizationId, productId, product, license } = await fixture.organization();
    const { productId: other } = await product();
    const licenses = [await license(), await license(), await license({ productId: other })];
    const ids = idsOf(licenses).sort();
    await write(async (db) => recordBulkRevoked(db, nowMs, await shownLicenses(db, ids, nowMs)));
    const recorded = (undistributed: 1 | null) =>
      fixture.rows("events", { organization_id: organizationId, undistributed });
    const sent = { type: "license.bulk_revoked", license_id: null };
    expect(await recorded(waiting)).toMatchObject([
      { ...sent, product_id: productId },
      { ...sent, product_id: other },
    ]);
    expect(await recorded(none)).toMatchObject(ids.map((license_id) => ({ license_id })));
  });

  test("a single change is sent, and one that changes nothing is not recorded", async () => {
    const { organizationId: organization_id, license } = await fixture.organization();
    const { id } = await license();
    const revoke = revoking(null, nowMs);
    for (let time = 0; time < 2; time++)
      await write((db) =>
        recordingChanges(db, nowMs, "license.revoked", [id], async () => {
          await revoke.apply(db, await licenseViews(db, [id]));
        }),
      );
    const sent = { type: "license.revoked", license_id: id, undistributed: waiting };
    expect(await fixture.rows("events", { organization_id })).toMatchObject([sent]);
  });
});
