import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { ask, queryClient } from "../api/queries.ts";
import { lastOrganization } from "../session/current-organization.ts";
import { paths } from "../session/paths.ts";
import { BrokenPage, MissingPage, Waiting } from "../ui/page.tsx";

import { accountRoutes } from "./account.ts";
import { organizationPages, organizationRoute } from "./organization.ts";
import { pagesBelow, textOrEmpty } from "./pages.ts";
import { platformRoutes } from "./platform.ts";
import { productRoutes } from "./product.ts";
import { rootRoute, signedInRoute } from "./root.tsx";
import { signedOutPages, signedOutRoute } from "./signed-out.ts";

/** The last visited organization, or the page to create the first one. */
const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  beforeLoad: async () => {
    const { data } = await queryClient.ensureQueryData(ask("listOrganizations", { query: { limit: 200 } }));
    const last = data.find(({ slug }) => slug === lastOrganization()) ?? data[0];
    if (last === undefined) throw redirect({ to: "/organizations/new", replace: true });
    throw redirect({ ...paths.overview(last.slug), replace: true });
  },
});

/** Any other path: inside the shell, so that the navigation stays available. */
const notFoundRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "$",
  component: MissingPage,
});

const page = pagesBelow(signedInRoute);

const signedInPages = [
  page(
    "/organizations/new",
    () => import("../features/identity/new-organization-page.tsx"),
    "NewOrganizationPage",
  ),
  /** The link in the email to a new address. Not part of the account pages, because it is about one link. */
  page("/account/email", () => import("../features/identity/confirm-email-page.tsx"), "ConfirmEmailPage", {
    token: textOrEmpty,
  }),
] as const;

const tree = rootRoute.addChildren([
  signedOutRoute.addChildren(signedOutPages),
  signedInRoute.addChildren([
    homeRoute,
    ...signedInPages,
    organizationRoute.addChildren([...organizationPages, productRoutes]),
    accountRoutes,
    platformRoutes,
    notFoundRoute,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  defaultPendingComponent: Waiting,
  // Inside the shell, so that users can go to another page.
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: MissingPage,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
