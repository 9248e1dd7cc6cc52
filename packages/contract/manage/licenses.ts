import { z } from "zod";
import { bulkBody, longBody } from "../body-limit.ts";
import { license, licenseFields, licenseFilter, newLicense } from "./license-fields.ts";
import { member, route } from "./route.ts";
import { flagQuery, page, pageQuery, updatedAtGuard } from "./shapes.ts";

const group = "Licenses";

const mostAtOnce = 10_000;

export const createLicenses = route({
  id: "createLicenses",
  method: "POST",
  path: "/products/{product_id}/licenses",
  summary: "Create one license, or many",
  description:
    "Each license needs customer_email or customer_discord_id. With neither `count` nor `licenses` one license is " +
    "made and is itself the answer. `count` makes that many alike; `licenses` makes different ones; both answer with " +
    "a list. Everything is checked before anything is made. More than 100, or fewer that are long, are made some at a time: should " +
    "the server be interrupted, the same request with the same Idempotency-Key completes them within a day and makes none twice. " +
    "metadata, custom_override and notes can have 8 MiB in all licenses of a request together.",
  group,
  access: member("licenses:create"),
  bodyLimit: bulkBody,
  body: z.strictObject({
    ...newLicense,
    count: z.int().min(1).max(mostAtOnce).optional(),
    licenses: z.array(z.strictObject(newLicense)).min(1).max(mostAtOnce).optional(),
  }),
  answer: z.union([license, page(license)]),
  problems: ["product_closed_for_sale", "license_keys_taken"],
});

const number = z.coerce.number();

const listQuery = pageQuery.extend({
  q: licenseFilter.q.optional(),
  status: licenseFilter.status.optional(),
  customer_id: licenseFilter.customer_id.optional(),
  tag: licenseFilter.tag.optional(),
  expires_within_days: number.pipe(licenseFilter.expires_within_days).optional(),
  never_used: flagQuery.optional(),
  min_ips: number.pipe(licenseFilter.min_ips).optional(),
  has_notes: flagQuery.optional(),
  sort: z.enum(["created_at", "expires_at", "updated_at"]).default("created_at"),
  order: z
    .enum(["asc", "desc"])
    .default("desc")
    .meta({ description: "By expires_at, what never runs out counts as the latest." }),
  count: flagQuery.default(false).meta({ description: "Whether to count all that match." }),
});

const listed = page(license).extend({
  total: z.int().optional().meta({ description: "With count=true: how many match." }),
  total_is_exact: z.boolean().optional().meta({
    description:
      "False when counting took too long, which only a search, a tag, a customer or min_ips among very many licenses can: there are at least `total`.",
  }),
});

const shortPages =
  "A page may be shorter than `limit` while there is a next_cursor: rare matches in a long list are looked for a " +
  "stretch at a time.";

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
  summary: "Read a license",
  group,
  access: member("licenses:view"),
  answer: license,
});

export const updateLicense = route({
  id: "updateLicense",
  method: "PATCH",
  path: "/licenses/{license_id}",
  summary: "Change a license",
  description:
    "Another customer_email or customer_discord_id gives the license to that customer. A later expires_at revives an " +
    "expired license. The key is changed by rotate-key alone.",
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
  description: "Its key answers license_not_found from the next request on. It cannot be undone.",
  group,
  access: member("licenses:delete"),
  problems: ["license_not_found"],
});
