import { z } from "zod";
import { id, time } from "./manage/shapes.ts";

/** A license transfer, as events report it. Fields of a holder are named as in the license. */

const holder = z.object({
  global_customer_id: id
    .nullable()
    .meta({ description: "Null while no license has this email address or Discord ID." }),
  customer_email: z.string().nullable(),
  customer_name: z.string().nullable(),
  customer_discord_id: z.string().nullable(),
});

const request = {
  id,
  from: holder.meta({ description: "The customer who held the license when the transfer was requested." }),
  to: holder.meta({ description: "The recipient, as specified by the customer." }),
  message: z.string().max(1_000).nullable().meta({ description: "The customer's message." }),
  requested_at: time,
};

const decision = {
  decided_at: time,
  decided_by: z.enum(["organization", "recipient", "requester", "system"]).meta({
    description:
      "`requester`: the customer withdrew the request. `system`: no decision was necessary, or none was made in time.",
  }),
  reason: z.string().max(1_000).nullable().meta({ description: "The reason for the decision." }),
};

export const transferShapes = {
  requested: z.object({
    ...request,
    status: z.literal("requested"),
    decided_at: z.null(),
    decided_by: z.null(),
    reason: z.null(),
  }),
  completed: z.object({ ...request, status: z.literal("completed"), ...decision }),
  rejected: z.object({ ...request, status: z.literal("rejected"), ...decision }),
} as const;
