import { plainLine } from "@countersign/domain/text/plain-line";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { secret } from "../api/secrets.ts";
import { time } from "../api/shapes.ts";
import { proofAgain } from "../auth/shapes.ts";
import { fieldCode } from "../problems/problems.ts";
import { apiKeySecret, product } from "./products.ts";

const group = "Product keys";

/** A key in an app that cannot be updated everywhere immediately has to keep working for a while. */
const overlap = (maxSeconds: number) =>
  z
    .int()
    .min(0)
    .max(maxSeconds)
    .default(86_400)
    .meta({ description: "How long the old secret stays in use. One day by default." });

const keyName = z
  .string()
  .trim()
  .max(100)
  .regex(plainLine, fieldCode("not_one_line"))
  .meta({ description: "A name, such as the app or server that uses the key." });

const keyEnd = time.nullable().meta({ description: "When the key expires. Null if it never does." });

export const createApiKey = route({
  id: "createApiKey",
  method: "POST",
  path: "/products/{product_id}/api-keys",
  summary: "Create an API key",
  description:
    "Only this response contains the whole key. The other keys keep working. A product can have 20 active keys, which share its daily limit.",
  group,
  access: member("products:rotate_key"),
  body: z.strictObject({ name: keyName.default(""), expires_at: keyEnd.default(null) }),
  answer: product.extend({ api_key: apiKeySecret }).meta({ id: "ProductWithNewKey" }),
  problems: ["product_not_found", "api_key_limit_reached"],
});

export const updateApiKey = route({
  id: "updateApiKey",
  method: "PATCH",
  path: "/products/{product_id}/api-keys/{prefix}",
  summary: "Update an API key's name or expiry",
  description: "An expired key cannot be changed.",
  group,
  access: member("products:rotate_key"),
  body: z.strictObject({ name: keyName.optional(), expires_at: keyEnd.optional() }),
  answer: product,
  problems: ["product_not_found", "api_key_not_found", "last_lasting_api_key"],
});

export const rotateApiKey = route({
  id: "rotateApiKey",
  method: "POST",
  path: "/products/{product_id}/rotate-key",
  summary: "Replace a product's API keys",
  description:
    "Creates a new API key; only this response contains the whole key. The other keys expire after `overlap_seconds`, and " +
    "requests with them then get a 401. All keys of a product share its daily limit.",
  group,
  access: member("products:rotate_key"),
  status: 200,
  body: z.strictObject({
    overlap_seconds: z.int().min(0).max(31_536_000).nullable().default(86_400).meta({
      description:
        "How long the old keys keep working, up to a year. Null for as long as you do not revoke them. One day by default.",
    }),
    name: keyName.default(""),
  }),
  answer: product.extend({ api_key: apiKeySecret }).meta({ id: "RekeyedProduct" }),
  problems: ["product_not_found", "api_key_limit_reached"],
});

export const endApiKey = route({
  id: "endApiKey",
  method: "DELETE",
  path: "/products/{product_id}/api-keys/{prefix}",
  summary: "Revoke an API key",
  description:
    "The key stops working immediately. The only key without an expiry cannot be revoked: create another one first, or replace it.",
  group,
  access: member("products:rotate_key"),
  problems: ["product_not_found", "api_key_not_found", "last_lasting_api_key"],
});

export const signingKey = z
  .object({
    id: z.string().meta({ description: "The `k` of a signature." }),
    secret: secret(
      "The key of the HMAC: 32 bytes as 64 hexadecimal digits.",
      "Show it with reveal-signing-secret and a new Idempotency-Key, or replace it with rotate-signing-secret.",
    ),
    active_from: time.meta({ description: "When the secret starts signing, in place of the previous one." }),
    created_at: time,
  })
  .meta({ id: "SigningKey" });

export const revealSigningSecret = route({
  id: "revealSigningSecret",
  whileUnpaid: true,
  method: "POST",
  path: "/products/{product_id}/reveal-signing-secret",
  summary: "Reveal a product's signing secrets",
  description:
    "Returns the current secret and, during a rotation, the next one: an application that knows both can verify every " +
    "response. With a session, it requires proof of identity. Each call is recorded in the audit log, and shown by " +
    "`GET /products/{product_id}/signing-secret`.",
  group,
  access: member("products:rotate_key"),
  status: 200,
  body: z.strictObject(proofAgain),
  answer: z
    .object({
      current: signingKey,
      upcoming: signingKey.nullable(),
    })
    .meta({ id: "SigningKeys" }),
  problems: [
    "product_not_found",
    "wrong_password",
    "invalid_confirmation",
    "recent_sign_in_required",
    "too_many_attempts",
    "sign_in_busy",
  ],
});

export const getSigningSecret = route({
  id: "getSigningSecret",
  method: "GET",
  path: "/products/{product_id}/signing-secret",
  summary: "Get who revealed a product's signing secret last",
  description: "As long as the audit log has the entry. The secret itself is not part of the response.",
  group,
  access: member("products:view", "products:manage", "products:rotate_key"),
  answer: z
    .object({
      last_revealed_at: time.nullable().meta({ description: "Null if it was never revealed." }),
      last_revealed_by: z
        .string()
        .nullable()
        .meta({ description: "The name of the member or access token at that time." }),
    })
    .meta({ id: "SigningSecret" }),
});

export const rotateSigningSecret = route({
  id: "rotateSigningSecret",
  method: "POST",
  path: "/products/{product_id}/rotate-signing-secret",
  summary: "Rotate a product's signing secret",
  description:
    "The new secret starts signing when the overlap ends, at most 30 days from now. Until then the current one signs, so " +
    "that you can update your applications first. A secret that has not started signing yet is replaced.",
  group,
  access: member("products:rotate_key"),
  status: 200,
  body: z.strictObject({ overlap_seconds: overlap(2_592_000) }),
  answer: signingKey,
  problems: ["product_not_found"],
});
