import { type Failure, failure } from "@countersign/contract/problems/failures";
import type { Sorted } from "@countersign/store/queries/license-files/write-rows";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import { currentLimit, type Limit } from "../plans/limits.ts";

/** The organization's limit of licenses; null without one. */
export async function licenseLimit(db: Database, organizationId: string): Promise<Limit | null> {
  const organization = await organizationById(db, organizationId);
  return organization === undefined ? null : currentLimit(db, organization, "licenses");
}

/** Rows that would create more licenses than the limit allows become errors. */
export function withinLimit(sorted: Sorted, limit: Limit | null): Sorted {
  if (limit === null) return sorted;
  const room = Math.max(0, limit.limit - limit.used);
  if (sorted.creates.length <= room) return sorted;
  const params = { plan: limit.plan, limit: limit.limit };
  const excess = sorted.creates.slice(room);
  return {
    ...sorted,
    creates: sorted.creates.slice(0, room),
    errors: [
      ...sorted.errors,
      ...excess.map(({ row }) => ({ row, field: "row", code: "over_license_limit" as const, params })),
    ],
  };
}

/** Why an all-or-nothing import cannot be completed. */
export function limitFailure({ plan, limit, used }: Limit): Failure {
  return failure("import_license_limit_reached", { plan, limit, used });
}
