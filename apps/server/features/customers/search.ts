import { customersOf } from "@countersign/store/queries/customer-views";
import type { Database } from "@countersign/store/store";
import type { OrganizationCustomerRow } from "@countersign/store/tables";

/** How many rows are looked at before others get their turn. */
const rowsAtOnce = 1_000;

type Place = Parameters<typeof customersOf>[2];

/** A page of customers, all of them or those whose e-mail, name or Discord id holds a text in lower case. */
export async function findCustomers(
  db: Database,
  organizationId: string,
  page: { readonly before: Place; readonly limit: number; readonly search: string | null },
): Promise<OrganizationCustomerRow[]> {
  const { search, limit } = page;
  if (search === null) return customersOf(db, organizationId, page.before, limit);
  const found: OrganizationCustomerRow[] = [];
  for (let before = page.before; ; ) {
    const rows = await customersOf(db, organizationId, before, rowsAtOnce);
    found.push(...rows.filter((row) => row.search_text.includes(search)));
    const last = rows.at(-1);
    if (found.length >= limit || rows.length < rowsAtOnce || last === undefined) return found.slice(0, limit);
    before = { createdAt: last.created_at, id: last.customer_id };
    await new Promise((resolve) => setImmediate(resolve));
  }
}
