import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { queryClient } from "./api/queries.ts";
import classes from "./app/notices.module.css";
import { cssVariables, theme } from "./app/theme.ts";
import { setTimeZoneFinder } from "./i18n/shown-time-zone.ts";
import { router } from "./routes/router.ts";
import { organizationInUrl } from "./session/current-organization.ts";
import { mayOpen } from "./session/navigation.ts";
import { paths } from "./session/paths.ts";
import { setBillingPathFinder } from "./ui/problem-alert.tsx";

setTimeZoneFinder(() => organizationInUrl()?.time_zone ?? null);
setBillingPathFinder(() => {
  const organization = organizationInUrl();
  if (organization === null || !mayOpen(organization, "settings/billing")) return null;
  const page = paths.billing(organization.slug);
  return { page, href: router.buildLocation(page).href };
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

/**
 * What opens above the page is put in here, by the mark that Mantine looks for: in a part of the page with a name, as
 * everything is, and not loose at its end.
 */
function Overlays() {
  const { t } = useTranslation();
  return <section aria-label={t("overlays")} data-mantine-shared-portal-node="true" />;
}

// The scroll lock behind a dialog adds a style element and reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

/** The content security policy accepts only styles with this nonce. */
function styleNonce(): string {
  return document.querySelector('meta[name="csp-nonce"]')?.getAttribute("content") ?? "";
}
