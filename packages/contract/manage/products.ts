import { customResponseProblems } from "@countersign/domain/custom-response/check";
import { placeholderNames } from "@countersign/domain/custom-response/template";
import { z } from "zod";
import { longBody } from "../api/body-limit.ts";
import { member, route } from "../api/route.ts";
import { secret } from "../api/secrets.ts";
import { id, locale, name, page, pageQuery, time, updatedAtGuard, webUrl } from "../api/shapes.ts";

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
      "A JSON object of at most 16 KiB, nested at most 32 levels deep. Placeholders such as {{customer.email}} are " +
      "replaced; unknown ones are refused.",
  });

/** The settings of a product. */
export const productSettings = {
  status: z.enum(["active", "disabled", "archived"]),
  closed_for_sale: z.boolean().meta({
    description:
      "Whether new licenses are refused, including imports. Existing licenses are not affected: they depend on " +
      "`status`.",
  }),
  auto_register_ip_on_validate: z.boolean(),
  auto_register_scope: z.enum(["until_limit", "first_only"]),
  track_ip_on_validate: z.boolean(),
  default_max_ips: z.int().min(1).max(1_000_000),
  default_ip_system_enabled: z.boolean(),
  default_expires_in_days: z.int().min(1).max(36_500).nullable().meta({
    description: "When a new license expires unless the request says otherwise. Null for lifetime.",
  }),
  expiring_soon_days: z.int().min(1).max(365).meta({
    description:
      "How many days before the expiry license.expiring_soon is recorded. For an expiry that is set later than that, such as the end of a short trial, it is recorded within seconds.",
  }),
  expiry_enforcement: z.boolean(),
  signed_validation: z.boolean(),
  custom_response_enabled: z.boolean(),
  custom_response: customResponse.nullable(),
  custom_response_on_refusal: z.boolean(),
  version_module_enabled: z.boolean().meta({
    description: "Whether validations check the version. Has no effect on the Free plan.",
  }),
  version_enforcement: z.enum(["enforce", "report"]),
  deliver_license_by_email: z.boolean().meta({
    description:
      "Whether customers with an email address receive their new license key by email. Imports send no emails.",
  }),
  license_email_text: z
    .string()
    .trim()
    .max(2_000)
    .nullable()
    .meta({ description: "Your own text in that email, as plain text." }),
  expiring_soon_email: z.boolean().meta({
    description: "Whether customers with an email address receive an email before their license expires.",
  }),
  locale: locale.nullable().meta({
    description: "The language of emails to its customers. Null for the organization's language.",
  }),
  ipv6_prefix: z.literal([64, 128]),
  portal_enabled: z.boolean().meta({
    description: "Whether customers see the product's licenses in the customer portal.",
  }),
  portal_ip_removals_per_30_days: z.int().min(0).max(1_000).meta({
    description:
      "How many IP addresses a customer can remove from a license in the portal within 30 days. Resetting a license counts each of its IP addresses. 0 to turn this off.",
  }),
  portal_key_rotation: z
    .boolean()
    .meta({ description: "Whether customers can replace the key of a license in the portal." }),
  transfers: z.enum(["off", "review", "automatic"]).meta({
    description:
      "Whether customers can transfer a license to someone else. `review`: each request waits for your decision. `automatic`: requests are approved immediately, except within `transfer_cooldown_days` after the license was created or last transferred, or if the recipient has IP blocks: then they wait for your decision.",
  }),
  transfer_cooldown_days: z.int().min(0).max(3_650).meta({
    description:
      "For how many days after its creation or last transfer a license is not transferred automatically.",
  }),
  transfer_resets_ips: z
    .boolean()
    .meta({ description: "Whether a transfer removes the license's IP addresses." }),
  transfer_rotates_key: z.boolean().meta({ description: "Whether a transfer replaces the license key." }),
  renewal_url: webUrl
    .nullable()
    .meta({ description: "The page where customers renew, linked in the customer portal." }),
};

/** Shown in full only where a key is created. */
export const apiKeySecret = secret(
  "The whole API key. Only this response contains it.",
  "Create a new API key with rotate-key.",
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
          name: z.string().meta({ description: "Empty if the key has no name." }),
          created_at: time,
          last_used_at: time.nullable().meta({ description: "Accurate to the minute. Null if never used." }),
          is_unused: z.boolean().meta({
            description: "Whether the key has not been used for 30 days. Revoke keys that are not needed.",
          }),
          expires_at: time.nullable().meta({ description: "Null if the key never expires." }),
        }),
      )
      .meta({ description: "The active keys, without their secret part." }),
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
  description: "Only this response contains the whole API key.",
  group,
  access: member("products:manage"),
  bodyLimit: longBody,
  body: z.strictObject({ name, ...settable }),
  answer: product.extend({ api_key: apiKeySecret }).meta({ id: "CreatedProduct" }),
  problems: ["product_limit_reached", "version_module_not_in_plan"],
});

export const getProduct = route({
  id: "getProduct",
  method: "GET",
  path: "/products/{product_id}",
  summary: "Get a product",
  group,
  access: member("products:view", "products:manage", "products:rotate_key"),
  answer: product,
});

export const updateProduct = route({
  id: "updateProduct",
  method: "PATCH",
  path: "/products/{product_id}",
  summary: "Update a product",
  description:
    "Takes effect with the next request. A disabled or archived product can be activated again. To stop selling a " +
    "product while its licenses keep working, set `closed_for_sale` instead of archiving it.",
  group,
  access: member("products:manage"),
  bodyLimit: longBody,
  body: z.strictObject({ name: name.optional(), ...settable, ...updatedAtGuard }),
  answer: product,
  problems: ["product_not_found", "version_module_not_in_plan"],
});

export const deleteProduct = route({
  id: "deleteProduct",
  method: "DELETE",
  path: "/products/{product_id}",
  summary: "Delete a product",
  description:
    "Also deletes its licenses. Validations with its API keys return `product_not_found`. This cannot be undone.",
  group,
  access: member("products:manage"),
  problems: ["product_not_found"],
});

export const previewCustomResponse = route({
  id: "previewCustomResponse",
  whileUnpaid: true,
  method: "POST",
  path: "/products/{product_id}/custom-response/preview",
  summary: "Preview a custom response",
  description:
    "Renders a template and an override like a validation, without storing anything. What is omitted comes from the " +
    "product and, with `license_id`, from the license, which requires the permission `licenses:view`. Without a license, " +
    "placeholders are replaced with the values in `sample`, or with examples.",
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
