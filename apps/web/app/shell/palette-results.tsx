import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useCurrentOrLastOrganization, useMe, useOrganizations } from "../../session/current-organization.ts";
import { isAllowed, mayOpen, navigationItems } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { docs } from "../../ui/help.tsx";
import type { IconName } from "../../ui/icon.tsx";
import type { PageLink } from "../../ui/links.tsx";
import { minTermLength } from "../../ui/search-term.ts";
import { exactTime } from "../../ui/time.tsx";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Search results from the server: a request by its ID, licenses by key or customer, customers, and products by name. */
export function usePaletteResults(term: string) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const near = useCurrentOrLastOrganization();
  const params = { organization_id: near?.id ?? "" };
  const isLong = near !== null && term.length >= minTermLength;
  const licenses = useQuery({
    ...ask("listLicenses", { params, query: { q: term, limit: 6 } }),
    enabled: isLong && isAllowed(near, ["licenses:view"]),
  });
  const customers = useQuery({
    ...ask("listCustomers", { params, query: { search: term.slice(0, 100), limit: 4 } }),
    enabled: isLong && isAllowed(near, ["customers:view", "customers:manage"]),
  });
  const products = useQuery({
    ...ask("listProducts", { params, query: { limit: 200 } }),
    enabled: near !== null && isAllowed(near, ["products:view", "products:manage"]),
  });
  const requestId = term.toLowerCase();
  const request = useQuery({
    ...ask("getRequest", { params: { ...params, request_id: requestId } }),
    enabled: near !== null && uuid.test(term) && isAllowed(near, ["requests:view"]),
    // It may also be the ID of something else.
    retry: false,
  });
  const slug = near?.slug ?? "";
  const go = (page: PageLink) => () => void navigate(page);
  const groups: ActionGroup[] = [
    {
      group: t("places.requests"),
      actions:
        request.data === undefined
          ? []
          : [
              {
                id: request.data.id,
                label: request.data.id,
                description: exactTime(request.data.at, i18n.language),
                icon: "request",
                do: go(paths.request(slug, requestId)),
              },
            ],
    },
    {
      group: t("palette.licenses"),
      actions: (licenses.data?.data ?? []).map(
        (license): PaletteAction => ({
          id: license.id,
          label: license.license_key,
          ...described(license.customer_name ?? license.customer_email),
          icon: "license",
          do: go(paths.license(slug, license.id)),
        }),
      ),
    },
    {
      group: t("places.customers"),
      actions: (customers.data?.data ?? []).map(
        (customer): PaletteAction => ({
          id: customer.id,
          label: customer.name ?? customer.email ?? customer.discord_id ?? customer.id,
          ...described(customer.name === null ? null : customer.email),
          icon: "customer",
          do: go(paths.customer(slug, customer.id)),
        }),
      ),
    },
    {
      group: t("places.products"),
      actions: (products.data?.data ?? [])
        .filter(({ name }) => term !== "" && fuzzyScore(term, name) >= 1)
        .slice(0, 4)
        .map(
          (product): PaletteAction => ({
            id: product.id,
            label: product.name,
            icon: "product",
            do: go(paths.product(slug, product.id)),
          }),
        ),
    },
  ];
  const searches = [licenses, customers];
  return {
    groups: groups.filter(({ actions }) => actions.length > 0),
    isLooking: [...searches, request].some(({ isFetching }) => isFetching),
    isBroken: searches.some(({ isError }) => isError),
  };
}

const described = (description: string | null) => (description === null ? {} : { description });

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
          .map(([permission, textKey, page]) =>
            action(permission, t(`palette.${textKey}`), "plus", page(near.slug)),
          );
  const going =
    near === null
      ? []
      : navigationItems
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

/**
 * How well a search text matches a name: 0 if its letters do not all occur in order, higher the earlier and the closer
 * together they are. "nl" finds "New license", "cstmr" finds "Customers".
 */
export function fuzzyScore(typed: string, name: string): number {
  const wanted = plain(typed);
  const text = plain(name);
  if (wanted === "") return 1;
  const at = text.indexOf(wanted);
  if (at >= 0) return at === 0 ? 4 : text[at - 1] === " " ? 3 : 2;
  let from = 0;
  let jumps = 0;
  for (const letter of wanted.replaceAll(" ", "")) {
    const position = text.indexOf(letter, from);
    if (position < 0) return 0;
    if (position > from) jumps += 1;
    from = position + 1;
  }
  return 1 / (1 + jumps);
}

/** Ignores accents and case. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
