import { Button, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { askPages, flat } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Page } from "../../ui/page.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { isFiltered, knownFilters, liveQueryOf, queryOf } from "./filters.ts";
import { LiveBar } from "./live-bar.tsx";
import { withOlder } from "./live-rows.ts";
import { NoRequests } from "./no-requests.tsx";
import { useRequestColumns } from "./request-columns.tsx";
import { timeInWords } from "./request-time.tsx";
import { requestsRoute, useFilterChange } from "./requests-route.ts";
import { useLive } from "./use-live.ts";

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
        <DataTable
          label={t("title")}
          columns={columns}
          rows={rows}
          keyOf={(request) => request.id}
          isPending={list.isPending}
          error={list.error}
          hasMore={list.hasNextPage && !isIncomplete && !live.rows.isCut}
          isFetchingMore={list.isFetchingNextPage}
          fetchMore={list.fetchNextPage}
          isNew={(request) => isLive && request.at > newestListed}
          empty={
            <NoRequests
              isLive={isLive}
              isFiltered={isFiltered(filters)}
              keptSince={keptSince}
              searchedUntil={isIncomplete ? searchedUntil : null}
              isSearching={list.isFetchingNextPage}
              onSearchFurther={further}
            />
          }
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
          <Text size="sm" c="dimmed" ta="center">
            {t("keptSince", { time: timeInWords(keptSince, i18n.language) })}
          </Text>
        )}
      </Stack>
    </Page>
  );
}
