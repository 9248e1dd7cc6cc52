import { isEventType } from "@countersign/domain/events/types";
import { deliveryStates } from "@countersign/domain/webhooks/delivery";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ask, queryClient } from "../api/queries.ts";
import { analyticsSearch } from "../features/analytics/search.ts";
import { ipsSearch } from "../features/ips/search.ts";
import { licenseActions, readSearch as licensesSearch } from "../features/licenses/search.ts";
import { shownStates as shownInvitations } from "../features/members/search.ts";
import { readSearch as requestsSearch } from "../features/requests/search.ts";
import { shownStates as shownTransfers } from "../features/transfers/search.ts";
import { historyLengths } from "../features/usage/search.ts";
import { tabs as webhookTabs } from "../features/webhooks/search.ts";
import { saveLastOrganization } from "../session/current-organization.ts";
import { timeInUrl } from "../ui/time-in-url.ts";
import { isTrue, oneOf, pagesBelow, text, textOrEmpty, textOrNumber } from "./pages.ts";
import { signedInRoute } from "./root.tsx";

/** One organization, by its slug. For non-members it does not exist. */
export const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/o/$organization",
  beforeLoad: async ({ params }) => {
    const { data } = await queryClient.ensureQueryData(ask("listOrganizations", { query: { limit: 200 } }));
    const organization = data.find(({ slug }) => slug === params.organization);
    if (organization !== undefined) saveLastOrganization(organization.slug);
    return { organizationId: organization?.id ?? null };
  },
  component: lazyRouteComponent(() => import("../app/organization-page.tsx"), "OrganizationPage"),
});

const page = pagesBelow(organizationRoute);

export const organizationPages = [
  /** Validations of the last 24 hours, unless it says otherwise. */
  page("/", () => import("../features/overview/overview-page.tsx"), "OverviewPage", { range: oneOf(["7d"]) }),

  page("/licenses", () => import("../features/licenses/list-page.tsx"), "LicensesPage", licensesSearch),
  /** The product and customer, if the linking page knows them. */
  page("/licenses/new", () => import("../features/licenses/new-page.tsx"), "NewLicensePage", {
    product_id: textOrNumber,
    customer_email: textOrNumber,
    customer_discord_id: textOrNumber,
  }),
  /** An import belongs to a product, so showing one requires both. */
  page("/licenses/import", () => import("../features/license-files/import-page.tsx"), "ImportPage", {
    product_id: text,
    import_id: text,
  }),
  /** An action to open, and an IP address to register. */
  page("/licenses/$licenseId", () => import("../features/licenses/detail/license-page.tsx"), "LicensePage", {
    do: oneOf(licenseActions),
    ip: textOrNumber,
  }),
  /** `new` opens the form for a new customer. */
  page("/customers", () => import("../features/customers/customers-page.tsx"), "CustomersPage", {
    q: searchText,
    new: isTrue,
  }),
  page("/customers/$customerId", () => import("../features/customers/customer-page.tsx"), "CustomerPage", {
    edit: isTrue,
  }),
  page("/transfers", () => import("../features/transfers/transfers-page.tsx"), "TransfersPage", {
    state: (state: unknown) => (state === "pending" ? undefined : oneOf(shownTransfers)(state)),
  }),
  page("/transfers/$transferId", () => import("../features/transfers/transfer-page.tsx"), "TransferPage"),
  page("/products", () => import("../features/products/products-page.tsx"), "ProductsPage", {
    status: oneOf(["active", "disabled", "archived"]),
  }),
  page("/products/new", () => import("../features/products/new-product-page.tsx"), "NewProductPage"),

  page("/requests", () => import("../features/requests/requests-page.tsx"), "RequestsPage", requestsSearch),
  page("/requests/$requestId", () => import("../features/requests/request-page.tsx"), "RequestPage"),
  page("/ips", () => import("../features/ips/ips-page.tsx"), "IpsPage", ipsSearch),
  page("/ips/$ip", () => import("../features/ips/ip-page.tsx"), "IpPage", { block: isTrue }),
  /** `add` opens the form, with this IP address or network, or with an empty field. */
  page("/ip-blocks", () => import("../features/ip-blocks/ip-blocks-page.tsx"), "IpBlocksPage", {
    add: textOrEmpty,
  }),
  page(
    "/analytics",
    () => import("../features/analytics/analytics-page.tsx"),
    "AnalyticsPage",
    analyticsSearch,
  ),
  page("/usage", () => import("../features/usage/usage-page.tsx"), "UsagePage", {
    days: oneOf(historyLengths),
    product: textOrEmpty,
  }),
  page("/webhooks", () => import("../features/webhooks/webhooks-page.tsx"), "WebhooksPage"),
  page("/webhooks/new", () => import("../features/webhooks/new-webhook-page.tsx"), "NewWebhookPage"),
  /** The tab, the log's filter and the open delivery, so that they can be shared. */
  page("/webhooks/$webhook", () => import("../features/webhooks/webhook-page.tsx"), "WebhookPage", {
    tab: oneOf(webhookTabs),
    state: oneOf(deliveryStates),
    type: (type: unknown) => (typeof type === "string" && isEventType(type) ? type : undefined),
    from: timeInUrl,
    to: timeInUrl,
    delivery: textOrEmpty,
  }),
  page("/audit-log", () => import("../features/audit-log/audit-log-page.tsx"), "AuditLogPage", {
    actor_id: shortText,
    action: shortText,
    subject_kind: shortText,
    subject_id: shortText,
    from: timeInUrl,
    to: timeInUrl,
    entry: shortText,
  }),

  page("/members", () => import("../features/members/members-page.tsx"), "MembersPage", {
    invite: isTrue,
    role: textOrEmpty,
    invitations: oneOf(shownInvitations),
  }),
  page("/roles", () => import("../features/roles/roles-page.tsx"), "RolesPage", { view: oneOf(["compare"]) }),
  /** From a preset, or a copy of a role. */
  page("/roles/new", () => import("../features/roles/role-pages.tsx"), "NewRolePage", {
    from: textOrEmpty,
    copy: textOrEmpty,
  }),
  page("/roles/$role", () => import("../features/roles/role-pages.tsx"), "RolePage"),
  page("/access-tokens", () => import("../features/access-tokens/token-pages.tsx"), "OrganizationTokensPage"),
  page(
    "/access-tokens/new",
    () => import("../features/access-tokens/token-pages.tsx"),
    "NewOrganizationTokenPage",
  ),
  page("/settings", () => import("../features/organizations/settings-page.tsx"), "SettingsPage"),
  page("/settings/portal", () => import("../features/branding/branding-page.tsx"), "BrandingPage"),
  /** How the user came back from the payment page. */
  page("/settings/billing", () => import("../features/billing/billing-page.tsx"), "BillingPage", {
    checkout: oneOf(["done", "cancelled"]),
  }),
] as const;

function shortText(value: unknown): string | undefined {
  return text(value)?.slice(0, 200);
}

/** The router parses a Discord ID as a number. */
function searchText(value: unknown): string | undefined {
  return value === undefined || value === "" ? undefined : String(value).slice(0, 100);
}
