import { z } from "zod";
import { id, time } from "./manage/shapes.ts";

/** A license transfer, as events report it. Fields of a holder are named as in the license. */

const holder = z.object({
  global_customer_id: id
    .nullable()
    .meta({ description: "Null as long as nobody has a license under this address or Discord id." }),
  customer_email: z.string().nullable(),
  customer_name: z.string().nullable(),
  customer_discord_id: z.string().nullable(),
});

const request = {
  id,
  from: holder.meta({ description: "Who held the license when it was asked for." }),
  to: holder.meta({ description: "Who is to hold it, as the customer named them." }),
  message: z
    .string()
    .max(1_000)
    .nullable()
    .meta({ description: "What the customer wrote with the request." }),
  requested_at: time,
};

const decision = {
  decided_at: time,
  decided_by: z.enum(["organization", "recipient", "requester", "system"]).meta({
    description: "requester: the customer withdrew it. system: nobody had to decide, or nobody did in time.",
  }),
  reason: z.string().max(1_000).nullable().meta({ description: "Why, in the words of whoever decided." }),
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
