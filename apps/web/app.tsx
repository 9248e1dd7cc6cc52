import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { queryClient } from "./api/queries.ts";
import { organizationBillingPath } from "./app/billing-path.ts";
import classes from "./app/notices.module.css";
import { Overlays } from "./app/overlays.tsx";
import { cssVariables, theme } from "./app/theme.ts";
import { setTimeZoneFinder } from "./i18n/shown-time-zone.ts";
import { router } from "./router.tsx";
import { organizationTimeZone } from "./session/organization-time-zone.ts";
import { setBillingPathFinder } from "./ui/billing-path.ts";

setTimeZoneFinder(organizationTimeZone);
setBillingPathFinder(() => {
  const page = organizationBillingPath();
  return page === null ? null : { page, href: router.buildLocation(page).href };
});

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-left" limit={4} classNames={{ root: classes.notices ?? "" }} />
        <RouterProvider router={router} />
        <Overlays />
      </QueryClientProvider>
    </MantineProvider>
  );
}

// The scroll lock behind a dialog adds a style element and reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

/** The content security policy accepts only styles with this nonce. */
function styleNonce(): string {
  return document.querySelector('meta[name="csp-nonce"]')?.getAttribute("content") ?? "";
}
