import { validateStatuses } from "@countersign/domain/validate/status";
import { z } from "zod";
import { member, route } from "./route.ts";
import { id, time } from "./shapes.ts";

export const getLastValidation = route({
  id: "getLastValidation",
  method: "GET",
  path: "/products/{product_id}/last-validation",
  summary: "Get the result of a product's last validation",
  description:
    "Use this to test an integration: it considers only the last hour, and only the newest 2,000 requests to the server. " +
    "Requests without a valid API key are not recorded.",
  group: "Requests",
  access: member("requests:view"),
  answer: z
    .object({
      request: z
        .object({
          id,
          at: time,
          status: z.enum(validateStatuses),
          license_id: id.nullable(),
          problem: z
            .string()
            .nullable()
            .meta({ description: "The X-Countersign-Problem header of the response." }),
        })
        .nullable(),
    })
    .meta({ id: "LastValidation" }),
});
