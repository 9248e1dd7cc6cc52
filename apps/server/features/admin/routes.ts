import type { BoundRoute } from "../../api/context.ts";
import { addUserRoutes } from "./add-user.ts";
import { emailTemplateRoutes } from "./email-templates.ts";
import { healthRoutes } from "./health.ts";
import { platformBlockRoutes } from "./ip-blocks.ts";
import { platformIpRoutes } from "./ips.ts";
import { jobRoutes } from "./jobs.ts";
import { platformOrganizationRoutes } from "./organizations.ts";
import { outboxRoutes } from "./outbox.ts";
import { revenueRoutes } from "./revenue.ts";
import { userRoutes } from "./users.ts";

/** The routes for the operator of an installation. */
export const adminRoutes: readonly BoundRoute[] = [
  ...platformOrganizationRoutes,
  ...userRoutes,
  ...addUserRoutes,
  ...platformBlockRoutes,
  ...platformIpRoutes,
  ...outboxRoutes,
  ...revenueRoutes,
  ...emailTemplateRoutes,
  ...healthRoutes,
  ...jobRoutes,
];
