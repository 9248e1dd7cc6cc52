import type { customer } from "@countersign/contract/manage/customers";
import { licenseCountsOf } from "@countersign/store/queries/customers/views";
import type { Database } from "@countersign/store/store";
import type { OrganizationCustomerRow } from "@countersign/store/tables/licenses";
import type { z } from "zod";
import { iso } from "../../api/page.ts";

export type ShownCustomer = z.input<typeof customer>;

export type CustomerView = Omit<OrganizationCustomerRow, "search_text">;

export function showCustomer(row: CustomerView, licenseCount: number): ShownCustomer {
  return {
    id: row.customer_id,
    email: row.email,
    name: row.name,
    discord_id: row.discord_id,
    license_count: licenseCount,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

export async function showWithCount(db: Database, row: CustomerView): Promise<ShownCustomer> {
  const counts = await licenseCountsOf(db, row.organization_id, [row.customer_id]);
  return showCustomer(row, counts.get(row.customer_id) ?? 0);
}
