import { expect, test } from "bun:test";
import { distribution } from "@countersign/store/distribution";
import { revoking } from "@countersign/store/queries/licenses/changes";
import { licenseViews, shownLicenses } from "@countersign/store/queries/licenses/views";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { recordBulkRevoked, recordingChanges } from "./record-changes.ts";

const nowMs = Date.UTC(2030, 5, 1);

onBothDatabases("the events of changes", (fixture) => {
  const { write } = fixture;
  const recorded = (organizationId: string) =>
    fixture.reads
      .selectFrom("events")
      .select(["type", "product_id", "license_id", "undistributed"])
      .where("organization_id", "=", organizationId)
      .orderBy("id")
      .execute();

  test("a bulk revocation is sent as one event for each product, and those of its licenses are listed only", async () => {
    const { organizationId, productId, product, license } = await fixture.organization();
    const { productId: other } = await product();
    const licenses = [await license(), await license(), await license({ productId: other })];
    const ids = licenses.map(({ id }) => id).sort();
    await write(async (db) => recordBulkRevoked(db, nowMs, await shownLicenses(db, ids, nowMs)));
    const [waiting, none] = [distribution.waiting, distribution.none];
    const events = await recorded(organizationId);
    expect(events.filter(({ undistributed }) => undistributed === waiting)).toEqual(
      [productId, other].map((id) => ({
        type: "license.bulk_revoked",
        product_id: id,
        license_id: null,
        undistributed: waiting,
      })),
    );
    expect(events.filter(({ undistributed }) => undistributed === none).map((row) => row.license_id)).toEqual(
      ids,
    );
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
