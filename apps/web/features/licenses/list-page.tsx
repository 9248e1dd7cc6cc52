import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ask, askPages, flat } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { GoButton } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { bulkActions } from "./bulk-actions.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { FilterBar, FilterChips } from "./filter-bar.tsx";
import { LicenseTable } from "./license-table.tsx";
import { isFiltered, type License, licensesRoute, queryOf } from "./search.ts";
import { useSelection } from "./selection.ts";
import { ViewStrip } from "./view-strip.tsx";

// Loaded on demand: most lists are not empty.
const NoLicenses = lazy(() => import("./no-licenses.tsx").then((file) => ({ default: file.NoLicenses })));

export function LicensesPage() {
  const { t, i18n } = useTranslation("licenses");
  const may = useMay();
  const organization = useOrganization();
  const search = licensesRoute.useSearch();
  const params = { organization_id: organization.id };
  const filter = queryOf(search);
  const order = { sort: search.sort ?? "created_at", order: search.order ?? "desc" } as const;
  const list = useInfiniteQuery({
    ...askPages("listLicenses", { params, query: { ...filter, ...order, limit: 100 } }),
    // Keeps the last results while the user types, to avoid layout shifts.
    placeholderData: (before) => before,
    refetchOnMount: shouldRefetch,
    refetchOnWindowFocus: shouldRefetch,
  });
  const counted = useQuery({
    ...ask("listLicenses", { params, query: { ...filter, count: "true", limit: 1 } }),
    placeholderData: (before) => before,
  });
  const rows = useMemo(() => flat(list.data), [list.data]);
  const tags = useMemo(() => tagsOf(rows), [rows]);
  const mayChoose = bulkActions.some(({ needs }) => may(needs));
  const selection = useSelection(JSON.stringify(filter), rows);
  const hasNone =
    list.isSuccess && rows.length === 0 && !list.hasNextPage && !isFiltered(search) && !search.q;
  // Counting a search among many licenses takes a second or two. The previous number would be wrong until then.
  const isCounting =
    (counted.isPending || counted.isPlaceholderData) && list.isSuccess && !list.isPlaceholderData;
  const count = isCounting ? undefined : counted.data?.total;
  const isExact = counted.data?.total_is_exact === true;
  const total =
    count === undefined || (count === 0 && !isExact)
      ? undefined
      : t(isExact ? "count" : "countOrMore", { count, number: count.toLocaleString(i18n.language) });
  return (
    <Page
      wide
      title={t("title")}
      lead={hasNone ? undefined : (total ?? (isCounting ? t("counting") : " "))}
      // The empty state has the same buttons.
      actions={
        !hasNone && (
          <>
            {may("licenses:import") && (
              <GoButton
                variant="default"
                to={paths.importLicenses(organization.slug)}
                leftSection={<Icon name="upload" size={16} />}
              >
                {t("import")}
              </GoButton>
            )}
            {may("licenses:create") && (
              <GoButton to={paths.newLicense(organization.slug)} leftSection={<Icon name="plus" size={16} />}>
                {t("new.open")}
              </GoButton>
            )}
          </>
        )
      }
    >
      {!hasNone && (
        <>
          <ViewStrip />
          <FilterBar tags={tags} />
          <FilterChips />
        </>
      )}
      <LicenseTable
        rows={rows}
        list={list}
        selection={mayChoose ? selection : null}
        empty={
          <Suspense>
            <NoLicenses isFiltered={isFiltered(search)} />
          </Suspense>
        }
      />
      <BulkBar selection={selection} search={search} matching={total} onDone={selection.clear} />
    </Page>
  );
}

/** A list is refetched page by page. A long one is refetched only when it is known to be out of date. */
function shouldRefetch({ state }: { readonly state: ReadState }): boolean {
  return state.isInvalidated || (state.data?.pages.length ?? 0) <= 3;
}

interface ReadState {
  readonly isInvalidated: boolean;
  readonly data: { readonly pages: readonly unknown[] } | undefined;
}

/** The server has no list of all tags, so those of the loaded rows are suggested. */
function tagsOf(rows: readonly License[]): string[] {
  return [...new Set(rows.flatMap(({ tags }) => tags))].sort();
}
