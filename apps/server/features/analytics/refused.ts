import { refusalsByLicense } from "@countersign/store/queries/analytics/figures";
import { withOpenTail } from "@countersign/store/queries/analytics/open-tail";
import type { MemberContext } from "../../api/context.ts";
import {
  daysBefore,
  daysOf,
  knownLicenses,
  type SelectionQuery,
  selectionOf,
  shownLicense,
  shownRange,
} from "./selection.ts";

/** Licenses that are looked up together, and at most: some of those that were refused no longer exist. */
const lookedUpTogether = 200;
const maxLookedUp = 5_000;

/** The licenses whose validations were refused most. */
export async function refusedLicenses(
  context: MemberContext,
  query: SelectionQuery & { readonly limit: number },
) {
  const { range, scope } = await selectionOf(context, query);
  const db = context.store.listReads;
  const days = daysOf(range);
  const { refused, before } = await withOpenTail(db, scope.organizationId, null, async (tail) => ({
    refused: await refusalsByLicense(db, scope, days, tail),
    before: await refusalsByLicense(db, scope, daysBefore(days), tail),
  }));
  const refusedBefore = new Map(before.map((one) => [one.licenseId, one.refused]));
  const listed: RefusedRow[] = [];
  for (let start = 0; start < Math.min(refused.length, maxLookedUp); start += lookedUpTogether) {
    const batch = refused.slice(start, start + lookedUpTogether);
    const known = await knownLicenses(
      context,
      batch.map(({ licenseId }) => licenseId),
    );
    for (const { licenseId, refused: count, outcomes } of batch) {
      const license = known.get(licenseId);
      if (license === undefined) continue;
      listed.push({
        ...shownLicense(context, licenseId, license.product_id, license),
        refused: count,
        previous_refused: refusedBefore.get(licenseId) ?? 0,
        outcomes,
      });
    }
    if (listed.length >= query.limit) break;
  }
  return { ...shownRange(range), data: listed.slice(0, query.limit) };
}

type RefusedRow = ReturnType<typeof shownLicense> & {
  refused: number;
  previous_refused: number;
  outcomes: Record<string, number>;
};
