import { addText, type Counts } from "../../rollups/counts.ts";
import { addAll, otherRefusals, type RollUps } from "../../rollups/roll-up.ts";
import type { Database } from "../../store.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import type { Scope } from "./figures.ts";

interface RefusedLicense {
  readonly licenseId: string;
  readonly refused: number;
  /** By status. */
  readonly outcomes: Record<string, number>;
}

const daysAtOnce = 100;

/** The licenses whose validations were refused, on days from the first to the last; most refused first. */
export async function refusalsByLicense(
  db: Database,
  scope: Scope,
  days: { readonly first: number; readonly last: number },
  tail: RollUps,
): Promise<RefusedLicense[]> {
  const counts: Counts = new Map();
  for (let after = days.first - 1; ; ) {
    const rows = await db
      .selectFrom("rollup_days")
      .select(["day", "refused"])
      .where("organization_id", "=", scope.organizationId)
      .where("product_id", "=", scope.productId)
      .where("day", ">", after)
      .where("day", "<=", days.last)
      .orderBy("day")
      .limit(daysAtOnce)
      .execute();
    for (const { refused } of rows) addText(counts, refused);
    const last = rows.at(-1);
    if (last === undefined || rows.length < daysAtOnce) break;
    after = last.day;
    await yieldToEventLoop();
  }
  for (const { organizationId, productId, day, refused } of tail.days)
    if (
      organizationId === scope.organizationId &&
      productId === scope.productId &&
      day >= days.first &&
      day <= days.last
    )
      addAll(counts, refused);
  counts.delete(otherRefusals);
  return byLicense(counts);
}

function byLicense(counts: ReadonlyMap<string, number>): RefusedLicense[] {
  const licenses = new Map<string, Record<string, number>>();
  for (const [key, count] of counts) {
    const [licenseId = "", status = ""] = key.split(" ");
    const outcomes = licenses.get(licenseId) ?? {};
    outcomes[status] = count;
    licenses.set(licenseId, outcomes);
  }
  return [...licenses]
    .map(([licenseId, outcomes]) => ({
      licenseId,
      outcomes,
      refused: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
    }))
    .sort((a, b) => b.refused - a.refused || (a.licenseId < b.licenseId ? -1 : 1));
}
