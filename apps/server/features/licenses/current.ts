import type { Database } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables";
import { type Context, theLicense } from "../../http/manage/context.ts";
import { Problem } from "../../http/manage/problem.ts";
import { lockedRows } from "./change.ts";

/** The license in the path as it is now, locked until the transaction ends. */
export async function current(db: Database, context: Context): Promise<LicenseRow> {
  const [row] = await lockedRows(db, context, [theLicense(context).id]);
  if (row === undefined) throw new Problem("license_not_found");
  return row;
}
