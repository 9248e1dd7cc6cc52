import { z } from "zod";
import { apiKeySecret, product } from "./products.ts";
import { member, route } from "./route.ts";
import { secret } from "./secrets.ts";
import { time } from "./shapes.ts";

const group = "Product keys";

/** A key in an app that cannot be updated everywhere immediately has to keep working for a while. */
const overlap = (longestSeconds: number) =>
  z
    .int()
    .min(0)
    .max(longestSeconds)
    .default(86_400)
    .meta({ description: "How long the old one goes on working; a day when left out." });

const keyName = z
  .string()
  .trim()
  .max(100)
  .meta({ description: "What people call it, such as the app or server that it is for." });

const keyEnd = time.nullable().meta({ description: "When it stops working; null until you end it." });

export const createApiKey = route({
  id: "createApiKey",
  method: "POST",
  path: "/products/{product_id}/api-keys",
  summary: "Add an API key",
  description:
    "The answer carries the new key in full, this once. The other keys go on working. A product has at most 20 keys that work, and all of them share its quota.",
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
  summary: "Rename an API key, or change when it ends",
  description: "A key that has ended stays ended.",
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
  summary: "Make a new API key",
  description:
    "The answer carries the new key in full, this once. The keys before it work until the overlap ends and answer 401 " +
    "from then on; with overlap_seconds null they work until you end them. All keys of a product share its quota.",
  group,
  access: member("products:rotate_key"),
  status: 200,
  body: z.strictObject({
    overlap_seconds: z.int().min(0).max(31_536_000).nullable().default(86_400).meta({
      description:
        "How long the old keys go on working, up to a year; null until you end them; a day when left out.",
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
  summary: "End an API key at once",
  description:
    "The prefix is the one that the product lists, such as csk_a1B2c3D4. The only key without an end cannot be ended: add another first, or rotate it.",
  group,
  access: member("products:rotate_key"),
  problems: ["product_not_found", "api_key_not_found", "last_lasting_api_key"],
});

export const signingKey = z
  .object({
    id: z.string().meta({ description: "What a signature names as k." }),
    secret: secret(
      "32 bytes, as 64 hexadecimal digits: the key of the HMAC.",
      "Show it with reveal-signing-secret and a new Idempotency-Key, or replace it with rotate-signing-secret.",
    ),
    active_from: time.meta({ description: "It signs from then on, until a newer one does." }),
    created_at: time,
  })
  .meta({ id: "SigningKey" });

export const revealSigningSecret = route({
  id: "revealSigningSecret",
  method: "POST",
  path: "/products/{product_id}/reveal-signing-secret",
  summary: "Show the secrets that answers are signed with",
  description:
    "The one that signs now, and the one that will after a rotation: an application that knows both sees no gap. Each " +
    "look is written to the audit log.",
  group,
  access: member("products:rotate_key"),
  status: 200,
  answer: z
    .object({
      current: signingKey,
      upcoming: signingKey.nullable(),
    })
    .meta({ id: "SigningKeys" }),
  problems: ["product_not_found"],
});

export const rotateSigningSecret = route({
  id: "rotateSigningSecret",
  method: "POST",
  path: "/products/{product_id}/rotate-signing-secret",
  summary: "Make a new signing secret",
  description:
    "It signs from the end of the overlap on, at most 30 days from now: until then the one before it does, so that " +
    "applications can learn the new one before they meet it. A secret that was still waiting for its turn is replaced.",
  group,
  access: member("products:rotate_key"),
  status: 200,
  body: z.strictObject({ overlap_seconds: overlap(2_592_000) }),
  answer: signingKey,
  problems: ["product_not_found"],
});
