import {
  ActionIcon,
  Button,
  Center,
  Group,
  Skeleton,
  Table,
  Text,
  Tooltip,
  VisuallyHidden,
} from "@mantine/core";
import { isValidElement, type ReactElement, type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "./empty.tsx";
import { Icon, type IconName } from "./icon.tsx";
import classes from "./list.module.css";
import { Page } from "./page.tsx";
import { ProblemAlert } from "./problem-alert.tsx";
import { ListTime } from "./time.tsx";

/**
 * A column is described by its header and by what it shows of a row: a time with `at`, a number with `count`, and
 * anything else with `cell`. A column that only some users or lists have can be `false`.
 */
export type Column<Row> = ColumnLook & ColumnContent<Row>;

type ColumnContent<Row> =
  | { readonly cell: (row: Row) => ReactNode }
  /** `never` is shown if there is none. */
  | { readonly at: (row: Row) => string | null; readonly never?: string }
  | { readonly count: (row: Row) => number };

interface ColumnLook {
  /** Different for each column. */
  readonly header: string;
  /** The header is only for screen readers, as above buttons. */
  readonly isHeaderHidden?: boolean;
  /** Hidden on narrow screens. */
  readonly wide?: boolean;
  /** Hidden where the navigation leaves too little space for all columns. */
  readonly extra?: boolean;
  /** Contains short words of a fixed set, which never wrap. */
  readonly whole?: boolean;
  /** On narrow screens it takes the remaining width and is truncated. */
  readonly fills?: boolean;
  readonly align?: "left" | "right";
  readonly width?: string | number;
}

/** A query for a list: page by page, or in one piece. */
export interface ListQuery<Row> {
  readonly data: PageOfRows<Row> | { readonly pages: readonly PageOfRows<Row>[] } | undefined;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** The rows are those of other filters, until they are loaded. */
  readonly isPlaceholderData?: boolean;
  readonly hasNextPage?: boolean;
  readonly isFetchingNextPage?: boolean;
  readonly fetchNextPage?: () => unknown;
}

interface PageOfRows<Row> {
  readonly data: readonly Row[];
}

/** What stands in place of a list without rows: what it is for, and what to do next. */
export interface EmptyText {
  readonly icon: IconName;
  readonly title: string;
  readonly words: ReactNode;
  readonly action?: ReactNode;
}

interface ListProps<Row> {
  /** The name of the table, for screen readers. */
  readonly label: string;
  /** Without it, `rows` are complete. */
  readonly list?: ListQuery<Row>;
  /** If they are not simply those of the query. */
  readonly rows?: readonly Row[];
  readonly columns: readonly (Column<Row> | false)[];
  /** By default its ID. */
  readonly keyOf?: (row: Row) => string;
  /** Shown if there are no rows. A text is shown as it is. */
  readonly empty: EmptyText | ReactElement | string | null;
  /** Shown in place of `empty` if the list is filtered. */
  readonly nothing?: EmptyText;
  readonly isFiltered?: boolean;
  readonly isMarked?: (row: Row) => boolean;
  /** Appeared while the list was open; highlighted for a moment. */
  readonly isNew?: (row: Row) => boolean;
}

/** A list as a table. The next page is loaded when its end becomes visible, or with a button. */
export function List<Row extends object>(props: ListProps<Row>) {
  const { label, list, rows = rowsOf(list), empty, nothing, isFiltered = false } = props;
  const { t } = useTranslation();
  const end = useEndOf(list);
  const { isPending = false, error = null, hasNextPage = false } = list ?? {};
  const columns = props.columns.filter((column) => column !== false);
  if (error !== null && rows.length === 0) return <ProblemAlert error={error} />;
  if (!isPending && !hasNextPage && rows.length === 0)
    return <NoRows empty={isFiltered && nothing !== undefined ? nothing : empty} />;
  // A page can be empty although more follow; then the next one is loading.
  const isWaiting = isPending || rows.length === 0;
  return (
    <div className={classes.box}>
      <Table.ScrollContainer minWidth={0} scrollAreaProps={{ offsetScrollbars: false }}>
        <Table aria-label={label} highlightOnHover verticalSpacing={7} className={classes.table ?? ""}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column, place) => (
                <Table.Th key={column.header} {...lookOf(column, columns[place - 1])} w={column.width}>
                  {column.isHeaderHidden ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isWaiting ? (
              <WaitingRows columns={columns} />
            ) : (
              <Rows {...props} rows={rows} columns={columns} />
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <div ref={end} />
      <ProblemAlert error={error} />
      {hasNextPage && !isWaiting && (
        <Center p="sm">
          <Button
            variant="subtle"
            loading={list?.isFetchingNextPage ?? false}
            onClick={() => list?.fetchNextPage?.()}
          >
            {t("more")}
          </Button>
        </Center>
      )}
      {isWaiting && (
        <Text className={classes.unseen} role="status">
          {t("loading")}
        </Text>
      )}
    </div>
  );
}

/** The element at the end of a list, which loads the next page when it becomes visible. */
function useEndOf<Row>(list: ListQuery<Row> | undefined) {
  const end = useRef<HTMLDivElement>(null);
  const { error = null, hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = list ?? {};
  useEffect(() => {
    const mark = end.current;
    if (mark === null || !hasNextPage || isFetchingNextPage || error !== null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && fetchNextPage?.(), {
      rootMargin: "600px",
    });
    observer.observe(mark);
    return () => observer.disconnect();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, error]);
  return end;
}

type RowsProps<Row> = Pick<ListProps<Row>, "keyOf" | "isMarked" | "isNew"> & {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
};

function Rows<Row extends object>({ rows, columns, keyOf = idOf, isMarked, isNew }: RowsProps<Row>) {
  const { i18n } = useTranslation();
  return rows.map((row) => (
    <Table.Tr
      key={keyOf(row)}
      data-marked={isMarked?.(row) || undefined}
      data-new={isNew?.(row) || undefined}
    >
      {columns.map((column, place) => (
        <Table.Td
          key={column.header}
          {...lookOf(column, columns[place - 1])}
          data-whole={column.whole || undefined}
          data-fills={column.fills || undefined}
        >
          {contentOf(column, row, i18n.language)}
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}

function WaitingRows<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return Array.from({ length: 8 }, (_, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are identical.
    <Table.Tr key={line} aria-hidden="true">
      {columns.map((column) => (
        <Table.Td
          key={column.header}
          data-wide={column.wide || undefined}
          data-extra={column.extra || undefined}
        >
          <Skeleton height={14} my={3} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}

function alignmentOf<Row>(column: Column<Row>): "left" | "right" {
  return "count" in column ? "right" : (column.align ?? "left");
}

/** What follows figures has a gap before it, because they are aligned right. */
function lookOf<Row>(column: Column<Row>, before: Column<Row> | undefined) {
  const followsFigures = before !== undefined && alignmentOf(before) === "right";
  return {
    "data-wide": column.wide || undefined,
    "data-extra": column.extra || undefined,
    "data-apart": (followsFigures && alignmentOf(column) !== "right") || undefined,
    ta: alignmentOf(column),
  };
}

interface ListPageProps<Row> extends Omit<ListProps<Row>, "label"> {
  readonly title: string;
  readonly lead?: ReactNode;
  /** On the right of the title. */
  readonly actions?: ReactNode;
  /** Above the list, such as `SearchField`, `FilterSelect` and `FilterChoice`. */
  readonly filters?: ReactNode;
  /** What the page has besides the list, such as dialogs. */
  readonly children?: ReactNode;
}

/** A page that is a list. As long as there is nothing to filter, it has no filters, and its action is in its middle. */
export function ListPage<Row extends object>(props: ListPageProps<Row>) {
  const { title, lead, actions, filters, children, ...list } = props;
  const hasNone = isWithoutRows(list);
  return (
    <Page wide title={title} lead={lead} actions={!hasNone && actions}>
      {filters !== undefined && !hasNone && (
        <Group mb="md" gap="xs">
          {filters}
        </Group>
      )}
      <List label={title} {...list} />
      {children}
    </Page>
  );
}

/** Whether there are no rows at all, even without filters. */
function isWithoutRows<Row>(props: Pick<ListProps<Row>, "list" | "rows" | "isFiltered">): boolean {
  const { list, rows = rowsOf(list), isFiltered = false } = props;
  if (rows.length > 0 || isFiltered) return false;
  if (list === undefined) return true;
  return !list.isPending && list.error === null && !list.hasNextPage && !list.isPlaceholderData;
}

function rowsOf<Row>(list: ListQuery<Row> | undefined): readonly Row[] {
  const data = list?.data;
  if (data === undefined) return [];
  return "pages" in data ? data.pages.flatMap((page) => page.data) : data.data;
}

function idOf(row: object): string {
  if ("id" in row) return String(row.id);
  throw new Error("A list of rows without an ID needs keyOf.");
}

function contentOf<Row>(column: Column<Row>, row: Row, language: string): ReactNode {
  if ("cell" in column) return column.cell(row);
  if ("count" in column) return <span className="figures">{column.count(row).toLocaleString(language)}</span>;
  const at = column.at(row);
  return at === null ? <Faint>{column.never ?? "–"}</Faint> : <ListTime at={at} />;
}

/** Of little interest, as a value that is not there. */
export function Faint({ children }: { readonly children: ReactNode }) {
  return (
    <Text inherit component="span" c="dimmed">
      {children}
    </Text>
  );
}

interface RowActionProps {
  readonly label: string;
  readonly icon: IconName;
  readonly onClick: () => unknown;
}

/** A button in the last column of a row. */
export function RowAction({ label, icon, onClick }: RowActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={() => void onClick()}>
        <Icon name={icon} size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

function NoRows({ empty }: Pick<ListProps<never>, "empty">) {
  if (typeof empty === "string") return <Text c="dimmed">{empty}</Text>;
  if (empty === null || isValidElement(empty)) return empty;
  const { words, ...rest } = empty;
  return <Empty {...rest}>{words}</Empty>;
}
