import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/links.tsx";
import { type Column, List } from "../../ui/list.tsx";
import { Section } from "../../ui/section.tsx";
import { LicenseStatus } from "../../ui/state-mark.tsx";
import type { Status } from "./search.ts";

interface LicenseListProps<Row> {
  readonly title: string;
  readonly list: UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly Row[] }>>;
  readonly idOf: (row: Row) => string;
  readonly productOf: (row: Row) => ReactNode;
  /** Besides key, status and product. */
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  readonly actions?: ReactNode;
}

/** The licenses of a customer or an IP address, on its page. */
export function LicenseList<Row extends Listed>(props: LicenseListProps<Row>) {
  const { title, list, idOf, productOf, columns, empty, actions } = props;
  const { t } = useTranslation("licenses");
  const { slug } = useOrganization();
  return (
    <Section title={title} bare actions={actions}>
      <List
        label={title}
        list={list}
        keyOf={idOf}
        columns={[
          {
            header: t("columns.key"),
            fills: true,
            cell: (row) => (
              <GoLink to={paths.license(slug, idOf(row))} className="mono licenseKey">
                {row.license_key}
              </GoLink>
            ),
          },
          { header: t("columns.status"), cell: (row) => <LicenseStatus status={row.status} /> },
          { header: t("columns.product"), wide: true, cell: productOf },
          ...columns,
        ]}
        empty={empty}
      />
    </Section>
  );
}

interface Listed {
  readonly license_key: string;
  readonly status: Status;
}
