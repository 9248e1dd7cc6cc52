import { markEndingsTold } from "@countersign/store/queries/expiries";
import type { Database } from "@countersign/store/store";
import type { ShownLicense } from "../licenses/show.ts";
import { licenseEvent } from "./license-event.ts";
import { tell } from "./tell.ts";

/** Tells that licenses run out, or did, unless somebody has told that of the same end already. */
export async function tellEndings(
  db: Database,
  nowMs: number,
  type: "license.expiring_soon" | "license.expired",
  licenses: readonly ShownLicense[],
): Promise<ShownLicense[]> {
  const endings = licenses.flatMap(({ id, expires_at }) =>
    expires_at === null ? [] : [{ license_id: id, type, ends_at: Date.parse(expires_at) }],
  );
  const fresh = await markEndingsTold(db, endings);
  const told = licenses.filter(({ id }) => fresh.has(id));
  await tell(db, nowMs, ...told.map((license) => licenseEvent(type, license)));
  return told;
}
