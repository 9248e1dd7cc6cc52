import { z } from "zod";
import { member, route } from "../api/route.ts";
import { time } from "../api/shapes.ts";

const group = "Overview";

const bucket = z.object({ from: time, count: z.int() });

export const getLicenseTrend = route({
  id: "getLicenseTrend",
  method: "GET",
  path: "/organizations/{organization_id}/license-trend",
  summary: "Count created and expiring licenses",
  group,
  access: member("licenses:view"),
  answer: z
    .object({
      created: z.array(bucket).meta({ description: "The last 30 days in UTC, ending with today." }),
      expiring: z.array(bucket).meta({
        description:
          "The next 12 weeks. The first starts now, the others at midnight UTC. Revoked licenses are not counted.",
      }),
    })
    .meta({ id: "LicenseTrend" }),
});
