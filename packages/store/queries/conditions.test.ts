import { expect, test } from "bun:test";
import { idsOf, onBothDatabases } from "../../../tests/support/query-tests.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { endOfPrefix, type IdRange, idsWithin } from "./conditions.ts";

onBothDatabases("index ranges", (fixture) => {
  /** Five licenses of a product, and one each of other products and organizations. */
  const licenses = async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    const ids = Array.from({ length: 5 }, () => newId()).sort();
    for (const id of ids) await org.license({ id });
    await org.license({ productId: (await org.product()).productId });
    await other.license();
    return { start: { organization_id: org.organizationId, product_id: org.productId }, ids };
  };

  const rows: [what: string, range: (id: (index: number) => string) => IdRange, found: number[]][] = [
    ["nothing", () => ({}), [0, 1, 2, 3, 4]],
    ["a first ID", (id) => ({ from: id(1) }), [1, 2, 3, 4]],
    ["an ID before it", (id) => ({ after: id(1) }), [2, 3, 4]],
    ["both, of which the later one counts", (id) => ({ from: id(3), after: id(1) }), [3, 4]],
    ["both, of which the later one is excluded", (id) => ({ from: id(1), after: id(1) }), [2, 3, 4]],
    ["IDs after it, of which the first counts", (id) => ({ before: [id(4), null, id(2)] }), [0, 1]],
    ["IDs on both sides", (id) => ({ after: id(0), before: [id(3)] }), [1, 2]],
    ["no ID between", (id) => ({ after: id(3), before: [id(4)] }), []],
  ];
  test.each(rows)("a range limited by %s has its IDs, and no other owner's", async (_, range, found) => {
    const { start, ids } = await licenses();
    const query = fixture.reads.selectFrom("licenses").select("id");
    const within = await query
      .where(
        idsWithin(
          start,
          range((index) => ids[index] ?? ""),
        ),
      )
      .execute();
    expect(idsOf(within).sort()).toEqual(found.map((index) => ids[index] ?? ""));
  });

  test("a range of texts ends after every text with the prefix", async () => {
    const { organizationId, license } = await fixture.organization();
    for (const key of ["ab", "abc", "abz", "ab\u{10fffd}", "ac", "b", "a"]) await license({ key });
    const query = fixture.reads.selectFrom("licenses").select("license_key as key");
    const mine = query.where("organization_id", "=", organizationId).where("license_key", ">=", "ab");
    const found = await mine.where("license_key", "<", endOfPrefix("ab")).execute();
    expect(found.map(({ key }) => key).sort()).toEqual(["ab", "abc", "abz", "ab\u{10fffd}"].sort());
  });
});
