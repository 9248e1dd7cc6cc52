import { Button, Group, Menu, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useProducts } from "../../session/products.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoButton } from "../../ui/links.tsx";
import { type EmptyText, List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { FilterBar, FilterChips } from "./filter-bar.tsx";
import {
  isFiltered,
  knownFilters,
  liveQueryOf,
  noFilters,
  queryOf,
  requestsRoute,
  useFilterChange,
} from "./filters.ts";
import { LiveBar, useLive } from "./live.tsx";
import { withOlder } from "./live-rows.ts";
import { timeInWords } from "./request.tsx";
import { useRequestColumns } from "./request-columns.tsx";
import type { RequestFilters } from "./search.ts";

/** The request log: filters, a live view, and an export. */
export function RequestsPage() {
  const { t, i18n } = useTranslation("requests");
  const { id } = useOrganization();
  const queries = useQueryClient();
  const { live: isLive = false, ...filters } = knownFilters(requestsRoute.useSearch());
  const change = useFilterChange();
  const columns = useRequestColumns();
  const list = useInfiniteQuery(
    askPages("listRequests", { params: { organization_id: id }, query: queryOf(filters) }),
  );
  const live = useLive(isLive, id, liveQueryOf(filters));
  const listed = flat(list.data);
  const rows = isLive ? withOlder(live.rows, listed) : listed;
  const newestListed = listed[0]?.at ?? "";
  const { searched_until: searchedUntil = null, kept_since: keptSince } = list.data?.pages.at(-1) ?? {};
  // Going on is a choice: nothing may match for many days.
  const isIncomplete = searchedUntil !== null && list.hasNextPage;
  const further = () => void list.fetchNextPage();
  const empty = useEmptyText({
    isLive,
    isFiltered: isFiltered(filters),
    keptSince,
    searchedUntil: isIncomplete ? searchedUntil : null,
    further: (
      <Button loading={list.isFetchingNextPage} onClick={further}>
        {t("searched.further")}
      </Button>
    ),
  });
  const turn = (isOn: boolean) => {
    change({ live: isOn || undefined, ...(isOn ? { from: undefined, to: undefined } : {}) });
    if (!isOn) void queries.invalidateQueries({ queryKey: ["listRequests"] });
  };
  return (
    <Page wide title={t("title")} lead={t("lead")} actions={<ExportMenu filters={filters} />}>
      <Stack gap="sm">
        <FilterBar filters={filters} />
        <FilterChips filters={filters} />
        <LiveBar isOn={isLive} onTurn={turn} {...live} />
        <List
          label={t("title")}
          list={{ ...list, hasNextPage: list.hasNextPage && !isIncomplete && !live.rows.isCut }}
          columns={columns}
          rows={rows}
          isNew={(request) => isLive && request.at > newestListed}
          empty={empty}
        />
        {rows.length > 0 && isIncomplete && (
          <Group justify="center" gap="xs">
            <Text size="sm" c="dimmed" role="status">
              {t("searched.words", { time: timeInWords(searchedUntil, i18n.language) })}
            </Text>
            <Button size="compact-sm" variant="light" loading={list.isFetchingNextPage} onClick={further}>
              {t("searched.further")}
            </Button>
          </Group>
        )}
        {rows.length > 0 && list.isSuccess && !list.hasNextPage && keptSince !== undefined && (
          <Dimmed ta="center">{t("keptSince", { time: timeInWords(keptSince, i18n.language) })}</Dimmed>
        )}
      </Stack>
    </Page>
  );
}

interface Search {
  readonly isLive: boolean;
  readonly isFiltered: boolean;
  readonly keptSince: string | undefined;
  /** Null if everything has been searched. */
  readonly searchedUntil: string | null;
  /** The button that goes on searching. */
  readonly further: ReactNode;
}

/** In place of an empty list: what to do next. */
function useEmptyText({ isLive, isFiltered, keptSince, searchedUntil, further }: Search): EmptyText {
  const { t, i18n } = useTranslation("requests");
  const change = useFilterChange();
  const timeText = (at: string | undefined) => (at === undefined ? "" : timeInWords(at, i18n.language));
  if (isLive) return { icon: "request", title: t("live.waiting.title"), words: t("live.waiting.words") };
  if (searchedUntil !== null)
    return {
      icon: "search",
      title: t("searched.none"),
      words: t("searched.noneWords", { time: timeText(searchedUntil) }),
      action: further,
    };
  if (isFiltered)
    return {
      icon: "filter",
      title: t("noMatch.title"),
      words: t("noMatch.words", { time: timeText(keptSince) }),
      action: (
        <Button variant="default" onClick={() => change(noFilters)}>
          {t("filters.clear")}
        </Button>
      ),
    };
  return { icon: "request", title: t("empty.title"), words: t("empty.words"), action: <FirstRequest /> };
}

/** The guide of the first product, which starts with curl. */
function FirstRequest() {
  const { t } = useTranslation("requests");
  const { slug } = useOrganization();
  const products = useProducts();
  const [product] = products.data ?? [];
  if (products.data === undefined) return null;
  return (
    <GoButton to={product === undefined ? paths.products(slug) : paths.integrate(slug, product.id)}>
      {t("empty.integrate")}
    </GoButton>
  );
}

/** Exports the filtered list, including requests that are not loaded yet. */
export function ExportMenu({ filters }: { filters: RequestFilters }) {
  const { t } = useTranslation("requests");
  const { id } = useOrganization();
  return (
    <Menu position="bottom-end" shadow="md" width={260}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={15} />}>
          {t("export.open")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(isFiltered(filters) ? "export.filtered" : "export.all")}</Menu.Label>
        {(["csv", "jsonl"] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            download={`requests.${format}`}
            href={urlOf("exportRequests", {
              params: { organization_id: id },
              query: { ...queryOf(filters), format },
            })}
          >
            {t(`export.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
