import { Group, NativeSelect, SegmentedControl, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { Page } from "../../ui/page.tsx";
import { useHolderName } from "./holder.tsx";
import { NoTransfers } from "./no-transfers.tsx";
import { shownStates } from "./search.ts";
import classes from "./transfer-page.module.css";
import { TransferState } from "./transfer-state.tsx";

const transfersRoute = getRouteApi("/signed-in/o/$organization/transfers");

type Listed = Item<"listTransfers">;

/** License transfers, newest first. Those that wait for a decision are shown first of all. */
export function TransfersPage() {
  const { t } = useTranslation("transfers");
  const { id: organizationId, slug } = useOrganization();
  const { state = "pending" } = transfersRoute.useSearch();
  const navigate = transfersRoute.useNavigate();
  const nameOf = useHolderName();
  const list = useInfiniteQuery({
    ...askPages("listTransfers", {
      params: { organization_id: organizationId },
      query: state === "all" ? {} : { state },
    }),
    // Customers request and cancel transfers at any time.
    refetchInterval: state === "pending" ? 60_000 : false,
  });
  const columns: Column<Listed>[] = [
    {
      id: "from",
      header: t("from"),
      fills: true,
      cell: (transfer) => (
        <>
          <GoLink
            to={paths.transfer(slug, transfer.id)}
            fw={600}
            // Without "from … to", links of the same customer would all have the same name.
            aria-label={t("fromTo", { from: nameOf(transfer.from), to: nameOf(transfer.to) })}
          >
            {nameOf(transfer.from)}
          </GoLink>
          <Text inherit hiddenFrom="sm" className={classes.line ?? ""}>
            {t("toName", { name: nameOf(transfer.to) })}
          </Text>
          <Text inherit c="dimmed" hiddenFrom="sm" className={classes.line ?? ""}>
            {transfer.product_name} · <ListTime at={transfer.requested_at} />
          </Text>
        </>
      ),
    },
    { id: "to", header: t("to"), wide: true, cell: (transfer) => nameOf(transfer.to) },
    { id: "product", header: t("product"), wide: true, cell: (transfer) => transfer.product_name },
    {
      id: "license",
      header: t("license"),
      wide: true,
      cell: (transfer) => <span className="mono">{transfer.license_key_hint}</span>,
    },
    {
      id: "state",
      header: t("state"),
      whole: true,
      cell: (transfer) => <TransferState state={transfer.state} />,
    },
    {
      id: "requested",
      header: t("requested"),
      wide: true,
      cell: (transfer) => <ListTime at={transfer.requested_at} />,
    },
  ];
  const choices = shownStates.map((value) => ({ value, label: t(`states.${value}`) }));
  const choose = (value: string) => {
    const chosen = shownStates.find((one) => one === value && one !== "pending");
    void navigate({ search: { state: chosen }, replace: true });
  };
  return (
    <Page wide title={t("title")} lead={t("lead")}>
      <Group mb="md">
        <SegmentedControl
          visibleFrom="sm"
          size="sm"
          aria-label={t("state")}
          value={state}
          onChange={choose}
          data={choices}
        />
        <NativeSelect
          hiddenFrom="sm"
          aria-label={t("state")}
          value={state}
          onChange={(event) => choose(event.currentTarget.value)}
          data={choices}
        />
      </Group>
      <DataTable
        label={t("title")}
        columns={columns}
        rows={flat(list.data)}
        keyOf={(transfer) => transfer.id}
        isPending={list.isPending}
        error={list.error}
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
        empty={<NoTransfers state={state} />}
      />
    </Page>
  );
}
