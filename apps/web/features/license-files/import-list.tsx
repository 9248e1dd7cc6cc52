import { Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { isOver } from "./import-state.tsx";

type Row = Item<"listOrganizationImports">;

/** Imports before, into any product, with what came of them. */
export function ImportList({ present }: { present: string | undefined }) {
  const { t, i18n } = useTranslation("license-files");
  const { id, slug } = useOrganization();
  const list = useInfiniteQuery({
    ...askPages("listOrganizationImports", { params: { organization_id: id }, query: { limit: 20 } }),
    refetchInterval: ({ state: { data } }) => (flat(data).every(isOver) ? false : 2_000),
  });
  const rows = flat(list.data);
  const number = (count: number) => count.toLocaleString(i18n.language);
  if (list.isSuccess && rows.length === 0) return null;
  const columns: Column<Row>[] = [
    {
      id: "file",
      header: t("imports.file"),
      cell: (row) => (
        <GoLink size="sm" to={paths.importLicenses(slug, { product_id: row.product_id, import_id: row.id })}>
          <span style={{ overflowWrap: "anywhere" }}>{row.file_name ?? t("imports.unnamed")}</span>
        </GoLink>
      ),
    },
    {
      id: "product",
      header: t("product"),
      cell: (row) => (
        <>
          {row.product_name}
          <Text hiddenFrom="sm" size="xs" c="dimmed">
            <ListTime at={row.created_at} />
          </Text>
        </>
      ),
    },
    { id: "when", header: t("imports.when"), wide: true, cell: (row) => <ListTime at={row.created_at} /> },
    {
      id: "state",
      header: t("imports.state"),
      cell: (row) => (
        <>
          {t(`states.${row.state}`)}
          {row.dry_run && ` (${t("imports.check")})`}
        </>
      ),
    },
    {
      id: "created",
      header: t("done.created"),
      align: "right",
      wide: true,
      cell: (row) => number(row.created),
    },
    {
      id: "updated",
      header: t("done.updated"),
      align: "right",
      wide: true,
      cell: (row) => number(row.updated),
    },
    {
      id: "skipped",
      header: t("done.skipped"),
      align: "right",
      wide: true,
      cell: (row) => number(row.skipped),
    },
    { id: "failed", header: t("done.failed"), align: "right", wide: true, cell: (row) => number(row.failed) },
    { id: "by", header: t("imports.by"), wide: true, cell: (row) => row.created_by },
  ];
  return (
    <Stack gap="xs" mt="md">
      <Title order={2}>{t("imports.title")}</Title>
      <DataTable
        label={t("imports.title")}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.id}
        isPending={list.isPending}
        error={list.error}
        empty={null}
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
        isMarked={(row) => row.id === present}
      />
    </Stack>
  );
}
