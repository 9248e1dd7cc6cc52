import { customResponseProblems } from "@countersign/domain/custom-response/check";
import { placeholderNames } from "@countersign/domain/custom-response/template";
import { z } from "zod";
import { longBody } from "../body-limit.ts";
import { member, route } from "./route.ts";
import { secret } from "./secrets.ts";
import { id, locale, name, page, pageQuery, time, updatedAtGuard } from "./shapes.ts";

const group = "Products";

/** Not a recursive schema: the check below limits the depth. */
const jsonObject = z.record(z.string(), z.unknown());

/** The source of `custom`, in a product's template or a license's override. */
export const customResponse = jsonObject
  .superRefine((value, issues) => {
    for (const { path, fault } of customResponseProblems(value)) {
      issues.addIssue({ code: "custom", path: [...path], params: fault });
    }
  })
  .meta({
    description:
      "A JSON object of at most 16 KiB and 32 levels. Placeholders such as {{customer.email}} are filled in; one that " +
      "does not exist is refused.",
  });

/** The documented settings by name. */
export const productSettings = {
  status: z.enum(["active", "disabled", "archived"]),
  closed_for_sale: z.boolean().meta({
    description:
      "Whether new licenses are refused, by every way to create them, imports included. Existing licenses validate, " +
      "renew and change as before; status decides about those.",
  }),
  auto_register_ip_on_validate: z.boolean(),
  auto_register_scope: z.enum(["until_limit", "first_only"]),
  track_ip_on_validate: z.boolean(),
  default_max_ips: z.int().min(1).max(1_000_000),
  default_ip_system_enabled: z.boolean(),
  default_expires_in_days: z
    .int()
    .min(1)
    .max(36_500)
    .nullable()
    .meta({ description: "How long a new license runs when nobody says otherwise; null for lifetime." }),
  expiring_soon_days: z
    .int()
    .min(1)
    .max(365)
    .meta({ description: "So many days before a license runs out, license.expiring_soon tells of it." }),
  expiry_enforcement: z.boolean(),
  signed_validation: z.boolean(),
  custom_response_enabled: z.boolean(),
  custom_response: customResponse.nullable(),
  custom_response_on_refusal: z.boolean(),
  version_module_enabled: z.boolean().meta({
    description:
      "Whether versions are gated. It can be set on every plan; on Free it has no effect, and the answers of validate " +
      "are as if it were off.",
  }),
  version_enforcement: z.enum(["enforce", "report"]),
  deliver_license_by_email: z.boolean().meta({
    description:
      "Whether a customer with an email address gets an email with the key of a license that is made for them, once. " +
      "Imports write no emails.",
  }),
  license_email_text: z
    .string()
    .trim()
    .max(2_000)
    .nullable()
    .meta({ description: "What that email says beside the key, as plain text, in your own words." }),
  expiring_soon_email: z.boolean().meta({
    description:
      "Whether a customer with an email address gets an email some time before their license runs out.",
  }),
  locale: locale.nullable().meta({
    description: "The language of emails to its customers; null for the organization's.",
  }),
  ipv6_prefix: z.literal([64, 128]),
};

/** Shown in full only where a key is created. */
export const apiKeySecret = secret(
  "The API key in full, in this answer alone.",
  "Make a new API key with rotate-key.",
);

export const product = z
  .object({
    id,
    organization_id: id,
    name: z.string(),
    ...productSettings,
    api_keys: z
      .array(
        z.object({
          prefix: z.string(),
          name: z.string().meta({ description: "Empty for a key that nobody named." }),
          created_at: time,
          last_used_at: time.nullable().meta({ description: "To the minute; null for never." }),
          is_unused: z.boolean().meta({
            description: "Whether it has not been used for 30 days. A key that nobody uses should be ended.",
          }),
          expires_at: time.nullable().meta({ description: "Null until it is ended." }),
        }),
      )
      .meta({ description: "The keys that work, or will until they run out; never in full." }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Product" });

const settable = z.object(productSettings).partial().shape;

export const listProducts = route({
  id: "listProducts",
  method: "GET",
  path: "/organizations/{organization_id}/products",
  summary: "List products",
  group,
  access: member("products:view", "products:manage", "products:rotate_key"),
  query: pageQuery.extend({ status: productSettings.status.optional() }),
  answer: page(product),
});

export const createProduct = route({
  id: "createProduct",
  method: "POST",
  path: "/organizations/{organization_id}/products",
  summary: "Create a product",
  description: "The answer carries the API key in full, this once.",
  group,
  access: member("products:manage"),
  bodyLimit: longBody,
  body: z.strictObject({ name, ...settable }),
  answer: product.extend({ api_key: apiKeySecret }).meta({ id: "CreatedProduct" }),
});

export const getProduct = route({
  id: "getProduct",
  method: "GET",
  path: "/products/{product_id}",
  summary: "Read a product",
  group,
  access: member("products:view", "products:manage", "products:rotate_key"),
  answer: product,
});

export const updateProduct = route({
  id: "updateProduct",
  method: "PATCH",
  path: "/products/{product_id}",
  summary: "Change a product",
  description:
    "A change holds from the next request on. A disabled or archived product can be made active again. To stop selling " +
    "while existing licenses keep working, set closed_for_sale instead of archiving.",
  group,
  access: member("products:manage"),
  bodyLimit: longBody,
  body: z.strictObject({ name: name.optional(), ...settable, ...updatedAtGuard }),
  answer: product,
  problems: ["product_not_found"],
});

export const deleteProduct = route({
  id: "deleteProduct",
  method: "DELETE",
  path: "/products/{product_id}",
  summary: "Delete a product",
  description:
    "Its licenses go with it. Its API keys answer product_not_found from then on. It cannot be undone.",
  group,
  access: member("products:manage"),
  problems: ["product_not_found"],
});

export const previewCustomResponse = route({
  id: "previewCustomResponse",
  method: "POST",
  path: "/products/{product_id}/custom-response/preview",
  summary: "Show what a custom response looks like",
  description:
    "Renders a template and an override as validate would, and keeps nothing. What is left out comes from the product " +
    "and, with license_id, from the license; naming a license needs the permission licenses:view. Without a license " +
    "the placeholders are filled with examples, or with what sample says.",
  group,
  access: member("products:view", "products:manage"),
  bodyLimit: longBody,
  status: 200,
  body: z.strictObject({
    template: customResponse.nullable().optional(),
    override: customResponse.nullable().optional(),
    license_id: id.optional(),
    sample: z
      .partialRecord(z.enum(placeholderNames), z.union([z.string().max(1_000), z.number(), z.null()]))
      .optional(),
  }),
  answer: z.object({ custom: jsonObject.nullable() }).meta({ id: "CustomResponsePreview" }),
  problems: ["license_not_found"],
});
