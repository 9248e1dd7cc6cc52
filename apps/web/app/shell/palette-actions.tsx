import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useCurrentOrLastOrganization, useMe, useOrganizations } from "../../session/current-organization.ts";
import { isAllowed, mayOpen } from "../../session/may-open.ts";
import { navigationItems } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { docs } from "../../ui/docs-link.tsx";
import type { IconName } from "../../ui/icon.tsx";
import type { PageLink } from "../../ui/page-link.ts";

export interface PaletteAction {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly icon: IconName;
  readonly do: () => void;
}

export interface ActionGroup {
  readonly group: string;
  readonly actions: readonly PaletteAction[];
}

/** Actions and pages of the current or last visited organization. */
export function usePaletteActions(): ActionGroup[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const me = useMe();
  const near = useCurrentOrLastOrganization();
  const organizations = useOrganizations();
  const action = (id: string, label: string, icon: IconName, to: PageLink): PaletteAction => ({
    id,
    label,
    icon,
    do: () => void navigate(to),
  });
  const doing =
    near === null
      ? []
      : (
          [
            ["licenses:create", "newLicense", paths.newLicense],
            ["products:manage", "newProduct", paths.newProduct],
            ["licenses:import", "import", paths.importLicenses],
            ["members:invite", "invite", paths.members],
            ["webhooks:manage", "newWebhook", paths.newWebhook],
          ] as const
        )
          .filter(([permission]) => isAllowed(near, [permission]))
          .map(([permission, words, page]) =>
            action(permission, t(`palette.${words}`), "plus", page(near.slug)),
          );
  const going =
    near === null
      ? []
      : navigationItems
          .flat()
          .filter(({ path }) => mayOpen(near, path))
          .map(({ path, page, icon }) =>
            action(path, t(`places.${path === "" ? "overview" : path}`), icon, page(near.slug)),
          );
  return [
    { group: t("palette.actions"), actions: doing },
    {
      group: t("palette.go"),
      actions: [
        ...going,
        action("account", t("yourAccount"), "customer", paths.account()),
        {
          id: "docs",
          label: t("docs.link"),
          icon: "docs" as const,
          do: () => void window.open(docs(), "_blank", "noopener"),
        },
        ...(me.is_platform_admin
          ? [action("platform", t("places.platform"), "platform", paths.platform())]
          : []),
      ],
    },
    {
      group: t("organizations"),
      actions: organizations
        .filter(({ id }) => id !== near?.id)
        .map(({ id, name, slug }) => action(id, name, "organization", paths.overview(slug))),
    },
  ].filter(({ actions }) => actions.length > 0);
}
