import { z } from "zod";
import { fieldCode } from "../problems/problems.ts";
import { licenseRecord } from "../public-api.ts";
import { member, route } from "./route.ts";
import { email, id, inSteps, name, page, pageQuery, time, updatedAtGuard } from "./shapes.ts";

const group = "Customers";

export const discordId = z
  .string()
  .trim()
  .regex(/^[0-9]{1,20}$/, fieldCode("not_a_discord_id"));

/** A customer as recorded by this organization, without other organizations' records. */
export const customer = z
  .object({
    id: id.meta({ description: "What licenses name as global_customer_id." }),
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
    last_seen_at: time
      .nullable()
      .meta({ description: "When one of their licenses was last used, where products track addresses." }),
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
  description: `With search, those whose email begins with it come first. ${inSteps}`,
  group,
  access: member("customers:view", "customers:manage"),
  query: pageQuery.extend({
    search: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "Part of an email, a name or a Discord id." }),
  }),
  answer: page(customer),
});

export const createCustomer = route({
  id: "createCustomer",
  method: "POST",
  path: "/organizations/{organization_id}/customers",
  summary: "Add a customer",
  description:
    "With an email, a Discord id or both. The email says who it is; without one, the Discord id does. Customers are " +
    "also made by creating licenses for them.",
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
  summary: "Read a customer",
  group,
  access: member("customers:view", "customers:manage"),
  problems: ["customer_not_found"],
  answer: profile,
});

export const updateCustomer = route({
  id: "updateCustomer",
  method: "PATCH",
  path: "/organizations/{organization_id}/customers/{customer_id}",
  summary: "Change what you wrote about a customer",
  description:
    "Only this organization's own view changes. With another email (or, without an email, another Discord id) it is " +
    "somebody else: this organization's licenses and blocks of the customer then belong to the customer with that " +
    "identifier, who is made or found, and the answer has that customer's id.",
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
  summary: "Remove a customer without licenses",
  description: "What this organization wrote about the customer goes, and its blocks against them.",
  group,
  access: member("customers:manage"),
  problems: ["customer_not_found", "customer_has_licenses"],
});

export const listCustomerLicenses = route({
  id: "listCustomerLicenses",
  method: "GET",
  path: "/organizations/{organization_id}/customers/{customer_id}/licenses",
  summary: "List a customer's licenses in this organization, oldest first",
  description: "Needs the permission licenses:view besides.",
  group,
  access: member("customers:view", "customers:manage"),
  problems: ["customer_not_found"],
  query: pageQuery,
  answer: page(licenseRecord),
});
