import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { queryClient } from "../api/queries.ts";
import { askSession, localPath } from "../features/identity/session.ts";
import { isTrue, pagesBelow, textOrEmpty } from "./pages.ts";
import { rootRoute } from "./root.tsx";

/** Pages for users who are not signed in: one centered column. */
export const signedOutRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "auth-layout",
  component: lazyRouteComponent(() => import("../app/auth-layout.tsx"), "AuthLayout"),
});

/** Those for signing in. Signed-in users skip them. */
const signInPage = pagesBelow(signedOutRoute, async ({ search }) => {
  const session = await queryClient.fetchQuery(askSession);
  if (session !== null) throw redirect({ href: localPath(textOrEmpty(search.next)), replace: true });
});
const page = pagesBelow(signedOutRoute);

export const signedOutPages = [
  signInPage("/sign-in", () => import("../features/identity/sign-in-page.tsx"), "SignInPage", {
    next: textOrEmpty,
    verified: isTrue,
    error: textOrEmpty,
  }),
  signInPage(
    "/sign-in/second-factor",
    () => import("../features/identity/second-factor-page.tsx"),
    "SecondFactorPage",
    { next: textOrEmpty },
  ),
  signInPage("/sign-up", () => import("../features/identity/sign-up-page.tsx"), "SignUpPage", {
    next: textOrEmpty,
  }),
  page("/forgot-password", () => import("../features/identity/password-pages.tsx"), "ForgotPasswordPage"),
  /** `first` for the first password of an added user. */
  page("/reset-password", () => import("../features/identity/password-pages.tsx"), "ResetPasswordPage", {
    token: textOrEmpty,
    first: isTrue,
  }),
  page("/invitations/$token", () => import("../features/identity/invitation-page.tsx"), "InvitationPage"),
  page("/setup", () => import("../features/first-run/setup-page.tsx"), "SetupPage", { token: textOrEmpty }),
] as const;
