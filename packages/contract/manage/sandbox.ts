import { sandboxStatuses } from "@countersign/domain/sandbox/license-keys";
import { z } from "zod";
import { member, route } from "../api/route.ts";

const group = "Sandbox";

const httpStatus = (endpoint: string) => z.int().meta({ description: `The HTTP status of ${endpoint}.` });

export const sandbox = z
  .object({
    api_key: z.string().meta({
      description:
        "The product's test API key, `cskt_…`. It grants nothing, so it can be shown again, and used in a CI job.",
    }),
    signing_key: z
      .object({
        id: z.string().meta({ description: "The `k` of a signature." }),
        secret: z.string().meta({ description: "The key of the HMAC: 32 bytes as 64 hexadecimal digits." }),
      })
      .meta({
        description:
          "Signs responses of the sandbox if the product signs its responses. It is not the product's own key, so that " +
          "an application in production refuses such a response.",
      }),
    license_keys: z
      .array(
        z.object({
          license_key: z.string(),
          status: z
            .enum(sandboxStatuses)
            .meta({ description: "The result of validating it. Several keys are `active`." }),
          http_status: httpStatus("validating it"),
          lookup_http_status: httpStatus("looking it up"),
          description: z.string(),
        }),
      )
      .meta({
        description: "The fixed license keys, the same for every product. Any other key is not found.",
      }),
  })
  .meta({ id: "Sandbox" });

export const getSandbox = route({
  id: "getSandbox",
  method: "GET",
  path: "/products/{product_id}/sandbox",
  summary: "Get a product's test API key and the license keys for tests",
  description:
    "With the test API key, validate and lookup give a fixed result for each of these license keys. Such requests count " +
    "against no limit, register no IP address and record no event. Responses have the header " +
    "`X-Countersign-Sandbox: true`.",
  group,
  access: member("products:view", "products:manage", "products:rotate_key", "requests:view"),
  answer: sandbox,
  problems: ["product_not_found"],
});

export const rotateSandboxKey = route({
  id: "rotateSandboxKey",
  method: "POST",
  path: "/products/{product_id}/sandbox/rotate",
  summary: "Replace a product's test API key",
  description: "The old key stops working immediately. The signing key of the sandbox is replaced with it.",
  group,
  access: member("products:rotate_key"),
  status: 200,
  answer: sandbox,
  problems: ["product_not_found"],
});
