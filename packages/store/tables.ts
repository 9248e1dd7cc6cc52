import type { AuditLogTables } from "./tables/audit-log.ts";
import type { BillingTables } from "./tables/billing.ts";
import type { EventsTables } from "./tables/events.ts";
import type { JournalTables } from "./tables/journal.ts";
import type { LicenseFilesTables } from "./tables/license-files.ts";
import type { LicensesTables } from "./tables/licenses.ts";
import type { OrganizationsTables } from "./tables/organizations.ts";
import type { PlatformTables } from "./tables/platform.ts";
import type { PortalTables } from "./tables/portal.ts";
import type { ProductsTables } from "./tables/products.ts";
import type { SignInTables } from "./tables/sign-in.ts";

/**
 * Every table, as both databases store it: IDs are text, flags are 0 or 1, times are milliseconds since 1970, JSON is
 * text. The migrations create exactly this.
 */
export interface Tables
  extends AuditLogTables,
    BillingTables,
    EventsTables,
    JournalTables,
    LicenseFilesTables,
    LicensesTables,
    OrganizationsTables,
    PlatformTables,
    PortalTables,
    ProductsTables,
    SignInTables {}
