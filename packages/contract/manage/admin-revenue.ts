import { plans } from "@countersign/domain/quota/limit";
import { z } from "zod";
import { platformAdmin, route } from "../api/route.ts";
import { billingStates } from "./billing.ts";

export const getRevenue = route({
  id: "getRevenue",
  method: "GET",
  path: "/admin/revenue",
  summary: "Sum up subscriptions and payment states",
  group: "Platform",
  access: platformAdmin,
  answer: z
    .object({
      recurring: z
        .array(
          z.object({
            currency: z.string(),
            monthly_amount: z.int().meta({
              description:
                "What paid subscriptions bring in per month, in the smallest unit of the currency.",
            }),
            subscription_count: z.int(),
          }),
        )
        .meta({ description: "By currency. Trials are not counted; a yearly price counts a twelfth." }),
      trial_count: z.int(),
      organizations: z.array(
        z.object({ plan: z.enum(plans), billing_state: z.enum(billingStates), count: z.int() }),
      ),
    })
    .meta({ id: "Revenue" }),
});
