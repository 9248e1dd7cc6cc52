import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { Icon } from "../../ui/icon.tsx";
import { useMay, useOrganizationOrNull } from "../here.ts";
import { places } from "./navigation.ts";

const [store, spotlight] = createSpotlight();
const shortestTerm = 3;

/** Go anywhere, begin anything, and find a license by pasting its key. */
export function Palette({ times }: { times: number }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay();
  const here = useOrganizationOrNull();
  const [term, setTerm] = useState("");
  const [settled] = useDebouncedValue(term.trim(), 200);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it opens each time it is asked to.
  useEffect(() => spotlight.open(), [times]);
  const found = useQuery({
    ...ask("listLicenses", {
      params: { organization_id: here?.id ?? "" },
      query: { q: settled, limit: 6 },
    }),
    enabled: here !== null && may("licenses:view") && settled.length >= shortestTerm,
  });
  const go = (path: string) => () => void navigate({ to: path as "/" });
  const base = here === null ? null : `/o/${here.slug}`;
  const doing: SpotlightActionData[] =
    base === null
      ? []
      : [
          ...(may("licenses:create")
            ? [{ id: "sell", label: t("palette.newLicense"), onClick: go(`${base}/licenses/new`) }]
            : []),
          ...(may("products:manage")
            ? [{ id: "product", label: t("palette.newProduct"), onClick: go(`${base}/products/new`) }]
            : []),
          ...(may("licenses:import")
            ? [{ id: "import", label: t("palette.import"), onClick: go(`${base}/licenses/import`) }]
            : []),
          ...(may("members:invite")
            ? [{ id: "invite", label: t("palette.invite"), onClick: go(`${base}/members`) }]
            : []),
        ].map((action) => ({ ...action, leftSection: <Icon name="plus" /> }));
  const going: SpotlightActionData[] =
    base === null
      ? []
      : places
          .flat()
          .filter(({ any }) => any.length === 0 || may(...any))
          .map(({ path, icon }) => ({
            id: path,
            label: t(`places.${path === "" ? "overview" : path}`),
            leftSection: <Icon name={icon} />,
            onClick: go(`${base}/${path}`),
          }));
  const licenses: SpotlightActionData[] = (found.data?.data ?? []).map((license) => ({
    id: license.id,
    label: license.license_key,
    description: license.customer_email ?? license.customer_name ?? "",
    // What the server found need not hold the words as they were typed.
    keywords: settled,
    leftSection: <Icon name="license" />,
    onClick: go(`${base}/licenses/${license.id}`),
  }));
  return (
    <Spotlight
      store={store}
      query={term}
      onQueryChange={setTerm}
      actions={[
        { group: t("palette.licenses"), actions: licenses },
        { group: t("palette.do"), actions: doing },
        { group: t("palette.go"), actions: going },
      ].filter(({ actions }) => actions.length > 0)}
      shortcut={null}
      nothingFound={found.isFetching ? t("palette.looking") : t("palette.nothing")}
      searchProps={{
        placeholder: t("palette.placeholder"),
        leftSection: <Icon name="search" />,
        "aria-label": t("findOrDo"),
      }}
      highlightQuery
      scrollable
      maxHeight={420}
    />
  );
}
