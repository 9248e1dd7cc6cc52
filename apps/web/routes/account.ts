import { createRoute, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { isTrue, pagesBelow, textOrEmpty } from "./pages.ts";
import { signedInRoute } from "./root.tsx";

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/account",
  component: Outlet,
});

const frameRoute = createRoute({
  getParentRoute: () => accountRoute,
  id: "account-layout",
  component: lazyRouteComponent(() => import("../features/account/account-layout.tsx"), "AccountLayout"),
});

const page = pagesBelow(frameRoute);

const pages = [
  page("/", () => import("../features/account/profile-page.tsx"), "ProfilePage"),
  page("/security", () => import("../features/account/security-page.tsx"), "SecurityPage", {
    error: textOrEmpty,
    linked: isTrue,
  }),
  page("/sessions", () => import("../features/account/sessions-page.tsx"), "SessionsPage"),
  page("/access-tokens", () => import("../features/access-tokens/token-pages.tsx"), "MyTokensPage"),
  page("/access-tokens/new", () => import("../features/access-tokens/token-pages.tsx"), "NewMyTokenPage"),
] as const;

export const accountRoutes = accountRoute.addChildren([frameRoute.addChildren(pages)]);
