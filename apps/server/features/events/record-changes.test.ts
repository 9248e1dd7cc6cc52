import { expect, test } from "bun:test";
import { distribution } from "@countersign/store/distribution";
import { revoking } from "@countersign/store/queries/licenses/changes";
import { licenseViews, shownLicenses } from "@countersign/store/queries/licenses/views";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { recordBulkRevoked, recordingChanges } from "./record-changes.ts";

const nowMs = Date.UTC(2030, 5, 1);

onDatabase("sqlite", "the events of changes", (fixture) => {
  const { write } = fixture;
  const recorded = (organizationId: string) => fixture.rows("events", { organization_id: organizationId });

  test("a bulk revocation is sent as one event for each product, and those of its licenses are listed only", async () => {
    const { organizationId, productId, product, license } = await fixture.organization();
    const { productId: other } = await product();
    const licenses = [await license(), await license(), await license({ productId: other })];
    const ids = licenses.map(({ id }) => id).sort();
    await write(async (db) => recordBulkRevoked(db, nowMs, await shownLicenses(db, ids, nowMs)));
    const [waiting, none] = [distribution.waiting, distribution.none];
    const events = await recorded(organizationId);
    const sent = { type: "license.bulk_revoked", license_id: null } as const;
    expect(events.filter(({ undistributed }) => undistributed === waiting)).toMatchObject(
      [productId, other].map((id) => ({ ...sent, product_id: id })),
    );
    const listed = events.filter(({ undistributed }) => undistributed === none);
    expect(listed.map((row) => row.license_id)).toEqual(ids);
  });

  test("a single change is sent, and one that changes nothing is not recorded", async () => {
    const { organizationId, license } = await fixture.organization();
    const { id } = await license();
    for (let time = 0; time < 2; time++)
      await write((db) =>
        recordingChanges(db, nowMs, "license.revoked", [id], async () => {
          await revoking(null, nowMs).apply(db, await licenseViews(db, [id]));
        }),
      );
    expect(await recorded(organizationId)).toMatchObject([
      { type: "license.revoked", license_id: id, undistributed: distribution.waiting },
    ]);
  });
});
