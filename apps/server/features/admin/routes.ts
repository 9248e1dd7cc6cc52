import type { BoundRoute } from "../../http/manage/bind.ts";
import { addUserRoutes } from "./add-user.ts";
import { healthRoutes } from "./health.ts";
import { platformBlockRoutes } from "./ip-blocks.ts";
import { mailTemplateRoutes } from "./mail-templates.ts";
import { mailboxRoutes } from "./mailbox.ts";
import { platformOrganizationRoutes } from "./organizations.ts";
import { settingsRoutes } from "./settings.ts";
import { userRoutes } from "./users.ts";

/** The routes for the operator of an installation. */
export const adminRoutes: readonly BoundRoute[] = [
  ...platformOrganizationRoutes,
  ...userRoutes,
  ...addUserRoutes,
  ...platformBlockRoutes,
  ...mailboxRoutes,
  ...mailTemplateRoutes,
  ...settingsRoutes,
  ...healthRoutes,
];
