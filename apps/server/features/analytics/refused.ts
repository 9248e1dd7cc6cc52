import { withOpenTail } from "@countersign/store/queries/analytics/open-tail";
import { mostRefusedLicenses } from "@countersign/store/queries/analytics/refused";
import type { Context } from "../../http/manage/context.ts";
import { type AskedQuery, askedIn, daysOf, shownRange } from "./asked.ts";
import { knownLicenses, shownLicense } from "./listed.ts";

/** The licenses whose validations were refused most. */
export async function refusedLicenses(context: Context, query: AskedQuery & { readonly limit: number }) {
  const { range, scope } = await askedIn(context, query);
  const db = context.store.listReads;
  const found = await withOpenTail(db, scope.organizationId, null, (tail) =>
    mostRefusedLicenses(db, scope, daysOf(range), tail, query.limit),
  );
  const known = await knownLicenses(
    context,
    found.map(({ licenseId }) => licenseId),
  );
  return {
    ...shownRange(range),
    // A deleted license is gone with its product ID.
    data: found.flatMap(({ licenseId, refused, outcomes }) => {
      const license = known.get(licenseId);
      if (license === undefined) return [];
      return [{ ...shownLicense(context, licenseId, license.product_id, license), refused, outcomes }];
    }),
  };
}
