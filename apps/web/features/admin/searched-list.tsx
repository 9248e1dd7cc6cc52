import { Group, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { useWhenSettled } from "../../ui/when-settled.ts";
import classes from "./admin.module.css";

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

interface SearchBoxProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Searches while typing, shortly after the last keystroke. */
function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const [words, setWords] = useState(value ?? "");
  const settle = useWhenSettled((text: string) => onChange(text.trim() === "" ? undefined : text.trim()));
  return (
    <TextInput
      type="search"
      className={classes.search ?? ""}
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={words}
      onChange={(event) => {
        setWords(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
}

interface Pages {
  readonly isPending: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** A search reads one part of the list at a time. Continues until something is found or the end is reached. */
function useSearchUntilFound(pages: Pages, found: number): { readonly isPending: boolean } {
  const { isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const isSearching = found === 0 && hasNextPage;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  return { isPending: isPending || isSearching };
}
