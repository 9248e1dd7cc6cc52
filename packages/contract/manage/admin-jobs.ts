import { z } from "zod";
import { platformAdmin, route } from "../api/route.ts";
import { page, time } from "../api/shapes.ts";

export const listJobs = route({
  id: "listJobs",
  method: "GET",
  path: "/admin/jobs",
  summary: "List the periodic jobs and their last runs",
  description:
    "For every node that ran in the last day. This node's are current, those of others up to a minute old.",
  group: "Platform",
  access: platformAdmin,
  answer: page(
    z
      .object({
        node: z.string(),
        is_this_node: z.boolean(),
        job: z.string(),
        every_seconds: z.number(),
        started_at: time,
        duration_ms: z.int().nullable().meta({ description: "Null while it runs." }),
        failed_at: time.nullable().meta({ description: "When it last failed. Null for never." }),
        failure: z.string().nullable().meta({ description: "Why it last failed." }),
      })
      .meta({ id: "JobRun" }),
  ),
});
