import { z } from "zod";
import { member, route } from "../api/route.ts";
import { proofAgain } from "../auth/shapes.ts";

const group = "Customers";

/** Besides `customers:manage`. */
export const eraseCustomerPermissions = ["licenses:delete"] as const;

const counts = z
  .object({
    licenses: z.int().meta({ description: "Including those of deleted products." }),
    ip_addresses: z.int().meta({ description: "Registered for these licenses." }),
    ip_blocks: z.int(),
    transfers: z.int().meta({
      description: "Transfers that they requested or received. These stay, without the customer.",
    }),
    events: z.int(),
  })
  .meta({ id: "CustomerErasure" });

export const getCustomerErasure = route({
  id: "getCustomerErasure",
  method: "GET",
  path: "/organizations/{organization_id}/customers/{customer_id}/erasure",
  summary: "Count what erasing a customer would delete",
  description: "Changes nothing. Also requires the permission `licenses:delete`.",
  group,
  access: member("customers:manage"),
  problems: ["customer_not_found"],
  answer: counts,
});

export const eraseCustomer = route({
  id: "eraseCustomer",
  method: "POST",
  path: "/organizations/{organization_id}/customers/{customer_id}/erasure",
  summary: "Erase a customer and their licenses",
  description:
    "For a customer who asks that everything about them is deleted. At once, the customer is gone from the list, and " +
    "from the portal unless another seller has them. Then the server deletes their licenses, and everything that was " +
    "recorded about these or names the customer: requests, IP addresses, events with their deliveries, emails, rows of " +
    "imports, stored responses. Entries of the audit log stay, without what they were about. The entry " +
    "`customer.erased` tells that it is complete. It cannot be undone, and sends no events. Files outside of the " +
    "database, such as backups and archives of the audit log, are not changed. With a session, it requires proof of " +
    "identity. Also requires the permission `licenses:delete`.",
  group,
  access: member("customers:manage"),
  status: 202,
  body: z.strictObject({
    licenses: z.int().min(0).meta({
      description: "How many licenses the customer has, to confirm their deletion.",
    }),
    ...proofAgain,
  }),
  answer: counts,
  problems: [
    "customer_not_found",
    "customer_licenses_changed",
    "wrong_password",
    "invalid_confirmation",
    "recent_sign_in_required",
    "too_many_attempts",
    "sign_in_busy",
  ],
});
