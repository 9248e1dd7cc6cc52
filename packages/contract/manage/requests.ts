import { validateStatuses } from "@countersign/domain/validate/status";
import { z } from "zod";
import { member, route } from "./route.ts";
import { id, time } from "./shapes.ts";

export const getLastValidation = route({
  id: "getLastValidation",
  method: "GET",
  path: "/products/{product_id}/last-validation",
  summary: "Read how a product's last validate request ended",
  description:
    "For trying out an integration: only the last hour, and only the newest 2,000 requests of the server, are looked at. " +
    "Requests without a valid API key belong to no product, and are not recorded.",
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
          problem: z.string().nullable().meta({ description: "What the header X-Countersign-Problem said." }),
        })
        .nullable(),
    })
    .meta({ id: "LastValidation" }),
});
