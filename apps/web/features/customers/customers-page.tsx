import { Button, Stack, Text, TextInput } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { Page } from "../../ui/page.tsx";
import { useWhenSettled } from "../../ui/when-settled.ts";
import { CustomerDialog } from "./customer-dialog.tsx";
import type { CustomersSearch } from "./search.ts";

const customersRoute = getRouteApi("/inside/o/$organization/customers");

type Customer = Item<"listCustomers">;

/** The organization's customers, newest first. */
export function CustomersPage() {
  const { t } = useTranslation("customers");
  const may = useMay();
  const { id: organizationId, slug } = useOrganization();
  const { q, new: isNew } = customersRoute.useSearch();
  const navigate = customersRoute.useNavigate();
  const list = useInfiniteQuery({
    ...askPages("listCustomers", { params: { organization_id: organizationId }, query: { search: q } }),
    placeholderData: keepPreviousData,
  });
  const [text, setText] = useState(q ?? "");
  const find = useWhenSettled((words: string) => {
    const wanted = words.trim();
    void navigate({
      search: (before: CustomersSearch) => ({ ...before, q: wanted === "" ? undefined : wanted }),
      replace: true,
    });
  });
  const open = (isOpen: boolean) =>
    void navigate({
      search: (before: CustomersSearch) => ({ ...before, new: isOpen || undefined }),
      replace: true,
    });
  const columns: Column<Customer>[] = [
    {
      id: "who",
      header: t("customer"),
      fills: true,
      cell: (customer) => (
        <Stack gap={0}>
          <GoLink to={paths.customer(slug, customer.id)} fw={600}>
            {customer.name ?? customer.email ?? t("discordNumber", { id: customer.discord_id })}
          </GoLink>
          {customer.name !== null && customer.email !== null && (
            <Text inherit c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {customer.email}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      id: "discord",
      header: t("discord"),
      wide: true,
      cell: ({ discord_id: id }) => (id === null ? <Dash /> : <span className="mono">{id}</span>),
    },
    {
      id: "licenses",
      header: t("licenses"),
      align: "right",
      cell: (customer) => <span className="figures">{customer.license_count}</span>,
    },
    {
      id: "since",
      header: t("since"),
      wide: true,
      cell: (customer) => <ListTime at={customer.created_at} />,
    },
  ];
  const rows = flat(list.data);
  const hasNone = list.isSuccess && rows.length === 0 && !list.hasNextPage && q === undefined && text === "";
  const button = may("customers:manage") && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => open(true)}>
      {t("new")}
    </Button>
  );
  return (
    // An empty list has this button in the middle of the page, and nothing to search.
    <Page wide title={t("title")} lead={t("lead")} actions={!hasNone && button}>
      {!hasNone && (
        <TextInput
          mb="md"
          maw={420}
          type="search"
          aria-label={t("find")}
          placeholder={t("find")}
          leftSection={<Icon name="search" size={16} />}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            find(event.currentTarget.value);
          }}
        />
      )}
      <DataTable
        label={t("title")}
        columns={columns}
        rows={rows}
        keyOf={(customer) => customer.id}
        isPending={list.isPending}
        error={list.error}
        // A search may have read only part of the list and found nothing yet.
        empty={
          list.hasNextPage ? (
            <Empty
              icon="search"
              title={t("searching.title")}
              action={
                <Button
                  variant="default"
                  loading={list.isFetchingNextPage}
                  onClick={() => void list.fetchNextPage()}
                >
                  {t("searching.continue")}
                </Button>
              }
            >
              {t("searching.words")}
            </Empty>
          ) : q === undefined ? (
            <Empty icon="customer" title={t("empty.title")} action={button}>
              {t("empty.words")}
            </Empty>
          ) : (
            <Empty icon="search" title={t("nothing.title")}>
              {t("nothing.words", { q })}
            </Empty>
          )
        }
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
      />
      <CustomerDialog
        opened={isNew === true && may("customers:manage")}
        onClose={() => open(false)}
        onDone={({ id }) => void navigate(paths.customer(slug, id))}
      />
    </Page>
  );
}

function Dash() {
  return (
    <Text inherit component="span" c="dimmed">
      –
    </Text>
  );
}
