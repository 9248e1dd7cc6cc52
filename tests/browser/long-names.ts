import type { Dashboard } from "../support/dashboard.ts";
import type { Examples } from "./page-list.ts";

/** Without a space or a hyphen, so that no line can break. */
const long = (start: string, length: number) => start.padEnd(length, "Abcdefghij");

/** Gives everything the longest possible name, in one word. */
export async function giveLongNames(dashboard: Dashboard, examples: Examples): Promise<void> {
  const { manage, owner, fixture } = dashboard;
  const organization = `/organizations/${dashboard.organizationId}`;
  const note = long("Note", 200);
  await manage("PATCH", organization, { name: long("Organization", 100) });
  await manage("PATCH", `/products/${examples.productId}`, { name: long("Product", 100) });
  await manage("PATCH", `${organization}/roles/${examples.roleId}`, { name: long("Role", 100) });
  await manage("PATCH", `${organization}/webhooks/${examples.webhookId}`, {
    url: `https://example.com/${long("hook", 200)}`,
    description: long("Description", 100),
  });
  await manage("PATCH", `/licenses/${examples.licenseId}`, {
    customer_email: `${long("customer", 190)}@example.com`,
    customer_name: long("Customer", 100),
    notes: note,
    tags: [long("tag", 50), long("label", 50), "short"],
  });
  await manage("POST", `/products/${examples.productId}/licenses`, {
    license_key: long("KEY", 64),
    customer_email: `${long("another", 190)}@example.com`,
    tags: [long("tag", 50)],
  });
  await manage("POST", `${organization}/ip-blocks`, { cidr: "2001:db8:1111:2222:3333:4444:5555:6666", note });
  await fixture.store.transaction((db) =>
    db
      .updateTable("users")
      .set({ name: long("Person", 100) })
      .where("id", "=", owner.userId)
      .execute(),
  );
}
