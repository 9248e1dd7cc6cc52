import { Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Page } from "../../ui/page.tsx";
import { SearchBox } from "./search-box.tsx";
import { type Pages, useSearchUntilFound } from "./use-search-until-found.ts";

interface SearchedListProps<Row> {
  readonly title: string;
  readonly lead: string;
  readonly actions?: ReactNode;
  /** Shown above the search. */
  readonly notice?: ReactNode;
  readonly search: {
    readonly label: string;
    readonly value: string | undefined;
    readonly onChange: (value: string | undefined) => void;
  };
  /** Next to the search. */
  readonly filters: ReactNode;
  readonly columns: readonly Column<Row>[];
  readonly list: Pages & { readonly error: Error | null };
  readonly rows: readonly Row[];
  readonly empty: ReactNode;
  /** Shown in place of the list. */
  readonly instead?: ReactNode;
}

/** A page with a long list that is searched while typing. */
export function SearchedList<Row extends { readonly id: string }>(props: SearchedListProps<Row>) {
  const { title, lead, search, filters, columns, list, rows, empty, instead = null, actions, notice } = props;
  const { isPending } = useSearchUntilFound(list, rows.length);
  return (
    <Page wide title={title} lead={lead} actions={actions}>
      <Stack gap="sm">
        {notice}
        <Group gap="xs">
          <SearchBox {...search} />
          {filters}
        </Group>
        {instead ?? (
          <DataTable
            label={title}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.id}
            isPending={isPending}
            error={list.error}
            empty={empty}
            hasMore={list.hasNextPage}
            isFetchingMore={list.isFetchingNextPage}
            fetchMore={list.fetchNextPage}
          />
        )}
      </Stack>
    </Page>
  );
}
