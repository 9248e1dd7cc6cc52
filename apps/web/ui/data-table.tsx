import { Button, Center, Skeleton, Table, Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import classes from "./data-table.module.css";
import { ProblemAlert } from "./problem-alert.tsx";

export interface Column<Row> {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
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

interface DataTableProps<Row> {
  /** The name of the table, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Shown if the list is empty. */
  readonly empty: ReactNode;
  readonly hasMore?: boolean;
  readonly isFetchingMore?: boolean;
  readonly fetchMore?: () => unknown;
  readonly isMarked?: (row: Row) => boolean;
  /** Appeared while the list was open; highlighted for a moment. */
  readonly isNew?: (row: Row) => boolean;
}

/** A list as a table. The next page is loaded when its end becomes visible, or with a button. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { t } = useTranslation();
  const {
    label,
    columns,
    rows,
    keyOf,
    isPending,
    error,
    empty,
    hasMore = false,
    isFetchingMore = false,
    fetchMore,
    isMarked,
    isNew,
  } = props;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const mark = end.current;
    if (mark === null || !hasMore || isFetchingMore || error !== null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && fetchMore?.(), {
      rootMargin: "600px",
    });
    observer.observe(mark);
    return () => observer.disconnect();
  }, [hasMore, isFetchingMore, fetchMore, error]);
  if (error !== null && rows.length === 0) return <ProblemAlert error={error} />;
  if (!isPending && !hasMore && rows.length === 0) return <>{empty}</>;
  // A page can be empty although more follow; then the next one is loading.
  const isWaiting = isPending || rows.length === 0;
  return (
    <div className={classes.box}>
      <Table.ScrollContainer minWidth={0} scrollAreaProps={{ offsetScrollbars: false }}>
        <Table aria-label={label} highlightOnHover verticalSpacing={7} className={classes.table ?? ""}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column, place) => (
                <Table.Th
                  key={column.id}
                  data-wide={column.wide || undefined}
                  data-extra={column.extra || undefined}
                  data-apart={followsFigures(columns, place) || undefined}
                  ta={column.align ?? "left"}
                  w={column.width}
                >
                  {column.header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isWaiting
              ? Array.from({ length: 8 }, (_, line) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: they are identical.
                  <Table.Tr key={line} aria-hidden="true">
                    {columns.map((column) => (
                      <Table.Td
                        key={column.id}
                        data-wide={column.wide || undefined}
                        data-extra={column.extra || undefined}
                      >
                        <Skeleton height={14} my={3} />
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))
              : rows.map((row) => (
                  <Table.Tr
                    key={keyOf(row)}
                    data-marked={isMarked?.(row) || undefined}
                    data-new={isNew?.(row) || undefined}
                  >
                    {columns.map((column, place) => (
                      <Table.Td
                        key={column.id}
                        data-wide={column.wide || undefined}
                        data-extra={column.extra || undefined}
                        data-whole={column.whole || undefined}
                        data-apart={followsFigures(columns, place) || undefined}
                        data-fills={column.fills || undefined}
                        ta={column.align ?? "left"}
                      >
                        {column.cell(row)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <div ref={end} />
      <ProblemAlert error={error} />
      {hasMore && !isWaiting && (
        <Center p="sm">
          <Button variant="subtle" loading={isFetchingMore} onClick={() => fetchMore?.()}>
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

function followsFigures<Row>(columns: readonly Column<Row>[], place: number): boolean {
  return columns[place - 1]?.align === "right" && columns[place]?.align !== "right";
}
