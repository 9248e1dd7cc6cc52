import { Text } from "@mantine/core";
import type { InfiniteData } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { flat } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Section } from "../../ui/section.tsx";
import { LicenseStatus } from "../../ui/state-mark.tsx";
import type { Status } from "./search.ts";

interface LicenseListProps<Row> {
  readonly title: string;
  readonly list: {
    readonly data: InfiniteData<{ data: readonly Row[] }> | undefined;
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly idOf: (row: Row) => string;
  readonly productOf: (row: Row) => ReactNode;
  /** Columns furtherDetails key, status and product. */
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  readonly actions?: ReactNode;
}

/** The licenses of a customer or an IP address, on its page. */
export function LicenseList<Row extends Listed>(props: LicenseListProps<Row>) {
  const { title, list, idOf, productOf, columns, empty, actions } = props;
  const { t } = useTranslation("licenses");
  const { slug } = useOrganization();
  const first: Column<Row>[] = [
    {
      id: "key",
      header: t("columns.key"),
      fills: true,
      cell: (row) => (
        <GoLink to={paths.license(slug, idOf(row))} className="mono licenseKey">
          {row.license_key}
        </GoLink>
      ),
    },
    { id: "status", header: t("columns.status"), cell: (row) => <LicenseStatus status={row.status} /> },
    { id: "product", header: t("columns.product"), wide: true, cell: productOf },
  ];
  return (
    <Section title={title} bare actions={actions}>
      <DataTable
        label={title}
        columns={[...first, ...columns]}
        rows={flat(list.data)}
        keyOf={idOf}
        isPending={list.isPending}
        error={list.error}
        empty={<Text c="dimmed">{empty}</Text>}
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
      />
    </Section>
  );
}

interface Listed {
  readonly license_key: string;
  readonly status: Status;
}
