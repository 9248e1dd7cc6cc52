import { Button, Center, Skeleton, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { type CSSProperties, type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { LicenseRow, useRowClicks } from "./license-row.tsx";
import classes from "./license-table.module.css";
import { type License, licensesRoute, type Sort, useFilterChange } from "./search.ts";
import type { Selection } from "./selection.ts";
import { useRowKeys, useVisibleRows } from "./visible-rows.ts";

interface LicenseTableProps {
  readonly rows: readonly License[];
  readonly list: Pick<
    UseInfiniteQueryResult,
    "isPending" | "error" | "hasNextPage" | "isFetchingNextPage" | "isPlaceholderData"
  > & { readonly fetchNextPage: () => unknown };
  /** Null if the user has no permission for any bulk action. */
  readonly selection: Selection | null;
  readonly empty: ReactNode;
}

/** Loads the next page this many rows ahead. Pages can be short or empty while the server is still searching. */
const rowsAhead = 30;

/** The height of the sticky header. */
const headHeight = 60;

const noSelection = { ids: new Set<string>(), isAll: false } as const;

/** Only visible rows are rendered; more are loaded while scrolling. */
export function LicenseTable({ rows, list, selection, empty }: LicenseTableProps) {
  const { t } = useTranslation("licenses");
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const rowHeight = isNarrow ? 68 : 40;
  const [top, setTop] = useState(0);
  // The chips change the height of the area above the table.
  const box = useCallback((element: HTMLDivElement) => {
    const measure = () => setTop(Math.round(element.getBoundingClientRect().top + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element.parentElement ?? element);
    return () => observer.disconnect();
  }, []);
  const { first, end } = useVisibleRows(rows.length, rowHeight, top);
  const onKeyDown = useRowKeys(
    rows.length,
    () => Math.max(0, Math.ceil((window.scrollY + headHeight - top) / rowHeight)),
    selection,
  );
  const { slug } = useOrganization();
  const pageOf = (index: number) => {
    const id = rows[index]?.id;
    return id === undefined ? null : paths.license(slug, id);
  };
  const clicks = useRowClicks(pageOf);
  const tagRoom = useMediaQuery("(min-width: 100em)") ? 28 : 13;
  const widths = useMemo(() => columnWidths(rows, tagRoom), [rows, tagRoom]);
  const { ids, isAll } = selection ?? noSelection;
  const chosen = useMemo(
    () => (isAll ? rows.length : rows.filter(({ id }) => ids.has(id)).length),
    [rows, ids, isAll],
  );
  const { hasNextPage, isFetchingNextPage, isPlaceholderData, error, fetchNextPage } = list;
  useEffect(() => {
    if (!hasNextPage || isFetchingNextPage || isPlaceholderData || error !== null) return;
    if (end > rows.length - rowsAhead) fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isPlaceholderData, error, fetchNextPage, end, rows.length]);
  if (error !== null && rows.length === 0) return <ProblemAlert error={error} />;
  if (!list.isPending && rows.length === 0 && !hasNextPage) return <>{empty}</>;
  const isWaiting = list.isPending || (rows.length === 0 && hasNextPage);
  return (
    <div ref={box} className={classes.box} data-stale={isPlaceholderData || undefined}>
      <table
        className={classes.table}
        style={widths}
        aria-label={t("title")}
        aria-rowcount={hasNextPage ? -1 : rows.length + 1}
      >
        <Head rows={rows.length} chosen={chosen} selection={selection} />
        <tbody onKeyDown={onKeyDown} {...clicks}>
          {isWaiting && <Waiting cells={selection === null ? cells.slice(1) : cells} />}
          {first > 0 && <Gap height={first * rowHeight} />}
          {rows.slice(first, end).map((license, place) => (
            <LicenseRow
              key={license.id}
              index={first + place}
              license={license}
              isChosen={isAll || ids.has(license.id)}
              slug={slug}
              tagRoom={tagRoom}
              onToggle={selection?.toggle}
            />
          ))}
          {end < rows.length && <Gap height={(rows.length - end) * rowHeight} />}
        </tbody>
      </table>
      {error !== null && <ProblemAlert error={error} />}
      {hasNextPage && !isWaiting && (
        <Center p="xs">
          <Button
            variant="subtle"
            size="compact-sm"
            loading={isFetchingNextPage}
            onClick={() => fetchNextPage()}
          >
            {t("everywhere:more")}
          </Button>
        </Center>
      )}
    </div>
  );
}

interface HeadProps {
  readonly rows: number;
  /** How many of them are selected. */
  readonly chosen: number;
  readonly selection: Selection | null;
}

function Head({ rows, chosen, selection }: HeadProps) {
  const { t } = useTranslation("licenses");
  return (
    <thead>
      <tr>
        {selection !== null && (
          <th className={classes.check}>
            <input
              type="checkbox"
              aria-label={t("select.allShown")}
              checked={rows > 0 && chosen === rows}
              ref={(element) => {
                if (element !== null) element.indeterminate = chosen > 0 && chosen < rows;
              }}
              onChange={(event) => selection.setAllShown(event.currentTarget.checked)}
            />
          </th>
        )}
        <th className={classes.key}>{t("columns.key")}</th>
        <th data-wide>{t("columns.customer")}</th>
        <th data-wide className={classes.product}>
          {t("columns.product")}
        </th>
        <th className={classes.state}>{t("columns.status")}</th>
        <SortHeader by="expires_at" className={classes.time} first="asc">
          {t("columns.expires")}
        </SortHeader>
        <th data-wide className={classes.ips}>
          {t("columns.ips")}
        </th>
        <th data-wider className={classes.tags}>
          {t("columns.tags")}
        </th>
        <SortHeader by="created_at" className={classes.time} first="desc">
          {t("columns.created")}
        </SortHeader>
      </tr>
    </thead>
  );
}

interface SortHeaderProps {
  readonly by: Sort;
  /** The order after the first click. */
  readonly first: "asc" | "desc";
  readonly className: string | undefined;
  readonly children: ReactNode;
}

function SortHeader({ by, first, className, children }: SortHeaderProps) {
  const { sort = "created_at", order = "desc" } = licensesRoute.useSearch();
  const change = useFilterChange();
  const isOn = sort === by;
  const turn = () => {
    const next = !isOn ? first : order === "asc" ? "desc" : "asc";
    // The default order is omitted from the URL.
    const isUsual = by === "created_at" && next === "desc";
    change({ sort: isUsual ? undefined : by, order: isUsual ? undefined : next });
  };
  return (
    <th
      data-wide
      className={className}
      aria-sort={isOn ? (order === "asc" ? "ascending" : "descending") : "none"}
    >
      <UnstyledButton className={classes.sort ?? ""} onClick={turn}>
        {children}
        <span
          className={classes.arrow}
          data-on={isOn || undefined}
          data-up={(isOn && order === "asc") || undefined}
        >
          <Icon name="down" size={13} />
        </span>
      </UnstyledButton>
    </th>
  );
}

/** Widths that fit the content, within limits. The customer column takes the rest. */
function columnWidths(rows: readonly License[], tagRoom: number) {
  const names = Math.max(8, ...rows.map(({ product_name: name }) => name.length));
  const tags = Math.max(4, ...rows.map(({ tags }) => tags.join("  ").length + 2));
  return {
    "--product-width": `${Math.min(names, tagRoom + 4) * 0.5 + 1.5}rem`,
    "--tags-width": `${Math.min(tags, tagRoom) * 0.5 + 4}rem`,
  } as CSSProperties;
}

/** A single cell: extra cells would add columns. */
function Gap({ height }: { height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row cannot receive focus.
    <tr aria-hidden="true" className={classes.gap}>
      <td style={{ height }} />
    </tr>
  );
}

const cells = [
  {},
  {},
  wide(),
  { ...wide(), className: classes.product },
  {},
  wide(),
  wide(),
  { "data-wider": true },
  wide(),
];

function wide() {
  return { "data-wide": true };
}

function Waiting({ cells }: { cells: readonly object[] }) {
  return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: the row has nothing focusable.
    <tr key={line} aria-hidden="true">
      {cells.map((cell, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of cells never changes.
        <td key={place} {...cell}>
          <Skeleton height={14} />
        </td>
      ))}
    </tr>
  ));
}
