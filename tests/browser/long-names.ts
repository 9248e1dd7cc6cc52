import type { Dashboard } from "../support/dashboard.ts";
import type { Examples } from "./page-list.ts";
import { signInToPortal } from "./requested-transfer.ts";

/** Without a space or a hyphen, so that no line can break. */
const long = (start: string, length: number) => start.padEnd(length, "Abcdefghij");

/** Gives everything the longest possible name, in one word. Returns the examples that have it. */
export async function giveLongNames(dashboard: Dashboard, examples: Examples): Promise<Examples> {
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
  const anotherEmail = `${long("another", 190)}@example.com`;
  const another = await dashboard.addLicense({
    license_key: long("KEY", 64),
    customer_email: anotherEmail,
    tags: [long("tag", 50)],
  });
  const customer = await signInToPortal(dashboard, anotherEmail.toLowerCase());
  const transfer = await customer.post(`/licenses/${another.id}/transfers`, {
    email: `${long("recipient", 190)}@example.com`,
    message: long("Message", 1_000),
  });
  await manage("PUT", `/products/${examples.productId}/downloads`, {
    data: [
      {
        title: long("Download", 100),
        url: `https://example.com/${long("file", 1_000)}`,
        min_version: "1.0.0",
        checksum: long("checksum", 200),
      },
    ],
  });
  await manage("POST", `${organization}/ip-blocks`, { cidr: "2001:db8:1111:2222:3333:4444:5555:6666", note });
  await fixture.store.transaction((db) =>
    db
      .updateTable("users")
      .set({ name: long("Person", 100) })
      .where("id", "=", owner.userId)
      .execute(),
  );
  return { ...examples, transferId: transfer.id };
}
