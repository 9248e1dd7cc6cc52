import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useCurrentOrLastOrganization } from "../../session/current-organization.ts";
import { isAllowed } from "../../session/may-open.ts";
import { paths } from "../../session/paths.ts";
import type { PageLink } from "../../ui/page-link.ts";
import { minTermLength } from "../../ui/search-term.ts";
import { exactTime } from "../../ui/time.tsx";
import { fuzzyScore } from "./fuzzy.ts";
import type { ActionGroup, PaletteAction } from "./palette-actions.tsx";

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
  const asked = [licenses, customers];
  return {
    groups: groups.filter(({ actions }) => actions.length > 0),
    isLooking: [...asked, request].some(({ isFetching }) => isFetching),
    isBroken: asked.some(({ isError }) => isError),
  };
}

const described = (words: string | null) => (words === null ? {} : { description: words });
