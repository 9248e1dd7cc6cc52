import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { ask, queryClient } from "../../api/queries.ts";
import { authLayoutRoute, signedInRoute } from "../../app/base-routes.tsx";
import { lastOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { askSession, localPath } from "./session.ts";

type Search = Record<string, unknown>;
type Next = { next?: string | undefined };
type Token = { token?: string | undefined };

const text = (value: unknown) => (typeof value === "string" ? value : undefined);
const withNext = (search: Search): Next => ({ next: text(search.next) });
const withToken = (search: Search): Token => ({ token: text(search.token) });

/** Signed-in users skip the sign-in pages. */
async function onlyNobody({ search }: { search: Next }): Promise<void> {
  const session = await queryClient.fetchQuery(askSession);
  if (session !== null) throw redirect({ href: localPath(search.next), replace: true });
}

const signInRoute = createRoute({
  getParentRoute: () => authLayoutRoute,
  path: "/sign-in",
  validateSearch: (
    search: Search,
  ): Next & { verified?: boolean | undefined; error?: string | undefined } => ({
    ...withNext(search),
    verified: search.verified === true ? true : undefined,
    error: text(search.error),
  }),
  beforeLoad: onlyNobody,
  component: lazyRouteComponent(() => import("./sign-in-page.tsx"), "SignInPage"),
});

const secondFactorRoute = createRoute({
  getParentRoute: () => authLayoutRoute,
  path: "/sign-in/second-factor",
  validateSearch: withNext,
  beforeLoad: onlyNobody,
  component: lazyRouteComponent(() => import("./second-factor-page.tsx"), "SecondFactorPage"),
});

const signUpRoute = createRoute({
  getParentRoute: () => authLayoutRoute,
  path: "/sign-up",
  validateSearch: withNext,
  beforeLoad: onlyNobody,
  component: lazyRouteComponent(() => import("./sign-up-page.tsx"), "SignUpPage"),
});

const forgotPasswordRoute = createRoute({
  getParentRoute: () => authLayoutRoute,
  path: "/forgot-password",
  component: lazyRouteComponent(() => import("./forgot-password-page.tsx"), "ForgotPasswordPage"),
});

const resetPasswordRoute = createRoute({
  getParentRoute: () => authLayoutRoute,
  path: "/reset-password",
  /** The first password of an added user, or a new one. */
  validateSearch: (search: Search): Token & { first?: true } => ({
    ...withToken(search),
    ...(search.first === true ? { first: true } : {}),
  }),
  component: lazyRouteComponent(() => import("./reset-password-page.tsx"), "ResetPasswordPage"),
});

const invitationRoute = createRoute({
  getParentRoute: () => authLayoutRoute,
  path: "/invitations/$token",
  component: lazyRouteComponent(() => import("./invitation-page.tsx"), "InvitationPage"),
});

export const authLayoutRoutes = [
  signInRoute,
  secondFactorRoute,
  signUpRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  invitationRoute,
] as const;

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

const newOrganizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/organizations/new",
  component: lazyRouteComponent(() => import("./new-organization-page.tsx"), "NewOrganizationPage"),
});

/** The link in the email to a new address. Not part of the account pages, because it is about one link. */
const confirmEmailRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/account/email",
  validateSearch: withToken,
  component: lazyRouteComponent(() => import("./confirm-email-page.tsx"), "ConfirmEmailPage"),
});

export const identityRoutes = [homeRoute, newOrganizationRoute, confirmEmailRoute] as const;
