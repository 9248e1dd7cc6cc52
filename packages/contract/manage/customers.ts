import { z } from "zod";
import { member, route } from "../api/route.ts";
import { discordId, email, id, inSteps, name, page, pageQuery, time, updatedAtGuard } from "../api/shapes.ts";
import { licenseRecord } from "../public/public-api.ts";

const group = "Customers";

/** A customer as recorded by this organization, without other organizations' records. */
export const customer = z
  .object({
    id: id.meta({ description: "The `global_customer_id` of the customer's licenses." }),
    email: z.string().nullable(),
    name: z.string().nullable(),
    discord_id: z.string().nullable(),
    license_count: z.int(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Customer" });

const profile = customer
  .extend({
    licenses: z.object({ active: z.int(), expired: z.int(), revoked: z.int() }),
    last_seen_at: time.nullable().meta({
      description:
        "When one of the customer's licenses was last used with a product that tracks IP addresses.",
    }),
  })
  .meta({ id: "CustomerProfile" });

const writable = {
  email: email.nullable().optional(),
  name: name.nullable().optional(),
  discord_id: discordId.nullable().optional(),
};

export const listCustomers = route({
  id: "listCustomers",
  method: "GET",
  path: "/organizations/{organization_id}/customers",
  summary: "List customers, newest first",
  description: `With \`search\`, customers whose email address starts with it come first. ${inSteps}`,
  group,
  access: member("customers:view", "customers:manage"),
  query: pageQuery.extend({
    search: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "Part of the email address, name or Discord ID." }),
  }),
  answer: page(customer),
});

export const createCustomer = route({
  id: "createCustomer",
  method: "POST",
  path: "/organizations/{organization_id}/customers",
  summary: "Create a customer",
  description:
    "Requires an email address, a Discord ID or both. The email address identifies the customer; without one, the " +
    "Discord ID does. Creating a license also creates its customer.",
  group,
  access: member("customers:manage"),
  problems: ["customer_exists"],
  body: z.strictObject(writable),
  answer: customer,
});

export const getCustomer = route({
  id: "getCustomer",
  method: "GET",
  path: "/organizations/{organization_id}/customers/{customer_id}",
  summary: "Get a customer",
  group,
  access: member("customers:view", "customers:manage"),
  problems: ["customer_not_found"],
  answer: profile,
});

export const updateCustomer = route({
  id: "updateCustomer",
  method: "PATCH",
  path: "/organizations/{organization_id}/customers/{customer_id}",
  summary: "Update a customer",
  description:
    "Changes this organization's record only. A different email address (or, without one, a different Discord ID) " +
    "identifies another customer, who is created if necessary: this organization's licenses and IP blocks of the " +
    "customer move to that one, and the response has that customer's ID.",
  group,
  access: member("customers:manage"),
  problems: ["customer_not_found"],
  body: z.strictObject({ ...writable, ...updatedAtGuard }),
  answer: customer,
});

export const deleteCustomer = route({
  id: "deleteCustomer",
  method: "DELETE",
  path: "/organizations/{organization_id}/customers/{customer_id}",
  summary: "Delete a customer without licenses",
  description: "Deletes this organization's record of the customer, and its IP blocks for them.",
  group,
  access: member("customers:manage"),
  problems: ["customer_not_found", "customer_has_licenses"],
});

export const listCustomerLicenses = route({
  id: "listCustomerLicenses",
  method: "GET",
  path: "/organizations/{organization_id}/customers/{customer_id}/licenses",
  summary: "List a customer's licenses in this organization, oldest first",
  description: "Also requires the permission `licenses:view`.",
  group,
  access: member("customers:view", "customers:manage"),
  problems: ["customer_not_found"],
  query: pageQuery,
  answer: page(licenseRecord),
});

/** Besides `customers:manage`: what they allow to see is part of the file. */
export const exportCustomerPermissions = ["licenses:view", "requests:view", "audit_log:view"] as const;

export const exportCustomer = route({
  id: "exportCustomer",
  method: "GET",
  path: "/organizations/{organization_id}/customers/{customer_id}/export",
  summary: "Export everything held about a customer",
  description:
    "For a customer who asks what is held about them. Returns one JSON object per line, each with `kind` and `data`: the customer, IP blocks for them, transfers, and each license that they have or had with its IP addresses, events, requests and entries of the audit log. What was recorded about a license while it was another customer's is left out, and so are the other party of a transfer and the names of members. The last line has the kind `end` and the number of lines before it: if it is missing, the file is incomplete. Also requires the permissions `licenses:view`, `requests:view` and `audit_log:view`.",
  group,
  access: member("customers:manage"),
  answerType: "application/x-ndjson",
  status: 200,
  problems: ["customer_not_found", "too_many_exports"],
});
