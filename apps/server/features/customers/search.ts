import { customersOf, customersStartingWith } from "@countersign/store/queries/customers/views";
import type { Database } from "@countersign/store/store";
import type { OrganizationCustomerRow } from "@countersign/store/tables/licenses";
import { searchPage } from "../../api/search.ts";

/** A page of customers: all of them, or those whose email, name and Discord ID contain every word of a text. */
export function findCustomers(
  db: Database,
  organizationId: string,
  page: { readonly cursor: string | undefined; readonly limit: number; readonly term: string | null },
) {
  const { term } = page;
  const words = term?.split(/\s+/) ?? [];
  return searchPage<OrganizationCustomerRow, number>(
    {
      kindOfTime: "number",
      startingWith: (text, after, limit) => customersStartingWith(db, organizationId, text, after, limit),
      newest: (before, limit) => customersOf(db, organizationId, before, limit),
      textOf: (row) => row.search_text,
      timeOf: (row) => row.created_at,
      idOf: (row) => row.customer_id,
      isMeant: (row) => words.every((word) => row.search_text.includes(word)),
    },
    { ...page, isFiltered: false },
  );
}
