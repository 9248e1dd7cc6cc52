import { z } from "zod";
import { bulkBody, longBody } from "../api/body-limit.ts";
import {
  furtherFilterQuery,
  license,
  licenseFields,
  licenseFilter,
  newLicense,
} from "../api/license-fields.ts";
import { member, route } from "../api/route.ts";
import { flagQuery, page, pageQuery, updatedAtGuard } from "../api/shapes.ts";

const group = "Licenses";

const maxAtOnce = 10_000;

export const createLicenses = route({
  id: "createLicenses",
  method: "POST",
  path: "/products/{product_id}/licenses",
  summary: "Create licenses",
  description:
    "Each license requires `customer_email` or `customer_discord_id`. Without `count` and `licenses`, creates one license " +
    "and returns it. `count` creates identical licenses, `licenses` creates different ones; both return a list. " +
    "Everything is checked before the first license is created. More than 100 licenses, or fewer long ones, are created " +
    "in batches: if the request is interrupted, repeat it with the same Idempotency-Key within 24 hours to create the rest. " +
    "`metadata`, `custom_override` and `notes` of all licenses of a request can have 8 MiB in total.",
  group,
  access: member("licenses:create"),
  bodyLimit: bulkBody,
  body: z.strictObject({
    ...newLicense,
    count: z.int().min(1).max(maxAtOnce).optional(),
    licenses: z.array(z.strictObject(newLicense)).min(1).max(maxAtOnce).optional(),
  }),
  answer: z.union([license, page(license)]),
  problems: ["product_closed_for_sale", "license_keys_taken", "license_limit_reached"],
});

const listQuery = pageQuery.extend({
  q: licenseFilter.q.optional(),
  status: licenseFilter.status.optional(),
  ...furtherFilterQuery,
  sort: z.enum(["created_at", "expires_at", "updated_at"]).default("created_at"),
  order: z.enum(["asc", "desc"]).default("desc").meta({
    description: "The sort order. For `expires_at`, licenses that never expire count as the latest.",
  }),
  count: flagQuery.default(false).meta({ description: "Whether to count all matching licenses." }),
});

const listed = page(license).extend({
  total: z.int().optional().meta({ description: "With `count=true`: the number of matching licenses." }),
  total_is_exact: z.boolean().optional().meta({
    description:
      "False if counting took too long: there are at least `total`. Only `q`, `tag`, `customer_id` and `min_ips` can take that long, among very many licenses.",
  }),
});

const shortPages =
  "A page can have fewer items than `limit` although `next_cursor` is not null: a search reads a bounded part of the " +
  "list for each page.";

export const listLicenses = route({
  id: "listLicenses",
  method: "GET",
  path: "/organizations/{organization_id}/licenses",
  summary: "List and search licenses, newest first",
  description: shortPages,
  group,
  access: member("licenses:view"),
  query: listQuery.extend({ product_id: licenseFilter.product_id.optional() }),
  answer: listed,
});

export const listProductLicenses = route({
  id: "listProductLicenses",
  method: "GET",
  path: "/products/{product_id}/licenses",
  summary: "List and search a product's licenses, newest first",
  description: shortPages,
  group,
  access: member("licenses:view"),
  query: listQuery,
  answer: listed,
});

export const getLicense = route({
  id: "getLicense",
  method: "GET",
  path: "/licenses/{license_id}",
  summary: "Get a license",
  group,
  access: member("licenses:view"),
  answer: license,
});

export const updateLicense = route({
  id: "updateLicense",
  method: "PATCH",
  path: "/licenses/{license_id}",
  summary: "Update a license",
  description:
    "A different `customer_email` or `customer_discord_id` assigns the license to that customer. A later `expires_at` " +
    "makes an expired license active again. To change the key, use `rotate-key`.",
  group,
  access: member("licenses:update"),
  bodyLimit: longBody,
  body: z.strictObject({ ...licenseFields, ...updatedAtGuard }),
  answer: license,
  problems: ["license_not_found"],
});

export const deleteLicense = route({
  id: "deleteLicense",
  method: "DELETE",
  path: "/licenses/{license_id}",
  summary: "Delete a license",
  description:
    "Validations of its key return `license_not_found` from the next request on. This cannot be undone.",
  group,
  access: member("licenses:delete"),
  problems: ["license_not_found"],
});
