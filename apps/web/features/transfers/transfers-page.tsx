import { Box, Group, NativeSelect, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, askPages } from "../../api/queries.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Empty } from "../../ui/empty.tsx";
import { FilterChoice } from "../../ui/filters.tsx";
import { GoButton, GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { ListTime } from "../../ui/time.tsx";
import { shownStates, type TransfersSearch } from "./search.ts";
import { TransferState, useHolderName } from "./transfer.tsx";
import classes from "./transfer-page.module.css";

const transfersRoute = getRouteApi("/signed-in/o/$organization/transfers");

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
  const choose = (value: string) => {
    const chosen = shownStates.find((one) => one === value && one !== "pending");
    void navigate({ search: { state: chosen }, replace: true });
  };
  return (
    <Page wide title={t("title")} lead={t("lead")}>
      <Group mb="md">
        <Box visibleFrom="sm">
          <FilterChoice
            label={t("state")}
            values={shownStates}
            words={(value) => t(`states.${value}`)}
            value={state}
            onChange={choose}
          />
        </Box>
        <NativeSelect
          hiddenFrom="sm"
          aria-label={t("state")}
          value={state}
          onChange={(event) => choose(event.currentTarget.value)}
          data={shownStates.map((value) => ({ value, label: t(`states.${value}`) }))}
        />
      </Group>
      <List
        label={t("title")}
        list={list}
        columns={[
          {
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
          { header: t("to"), wide: true, cell: (transfer) => nameOf(transfer.to) },
          { header: t("product"), wide: true, cell: (transfer) => transfer.product_name },
          {
            header: t("license"),
            wide: true,
            cell: (transfer) => <span className="mono">{transfer.license_key_hint}</span>,
          },
          {
            header: t("state"),
            whole: true,
            cell: (transfer) => <TransferState state={transfer.state} />,
          },
          { header: t("requested"), wide: true, at: (transfer) => transfer.requested_at },
        ]}
        empty={<NoTransfers state={state} />}
      />
    </Page>
  );
}

/** An empty list. If no product offers transfers, it explains how to turn them on. */
function NoTransfers({ state }: { state: NonNullable<TransfersSearch["state"]> }) {
  const { t } = useTranslation("transfers");
  const { id, slug } = useOrganization();
  const maySee = useMaySee();
  const seesProducts = maySee("products:view", "products:manage");
  const { data } = useQuery({
    ...ask("listProducts", { params: { organization_id: id }, query: { status: "active", limit: 100 } }),
    enabled: seesProducts,
  });
  const products = data?.data ?? [];
  const isOff =
    data?.next_cursor === null &&
    products.every(({ transfers, portal_enabled }) => transfers === "off" || !portal_enabled);
  if (!isOff || (state !== "pending" && state !== "all"))
    return (
      <Empty icon="transfer" title={t(`empty.${state}.title`)}>
        {t(state === "pending" ? "empty.pending.words" : "empty.words")}
      </Empty>
    );
  const [only] = products;
  const to =
    products.length === 1 && only !== undefined ? paths.productPortal(slug, only.id) : paths.products(slug);
  return (
    <Empty
      icon="transfer"
      title={t("empty.off.title")}
      action={
        <GoButton variant="default" to={to}>
          {t(products.length === 1 ? "empty.off.do" : "empty.off.products")}
        </GoButton>
      }
    >
      {t("empty.off.words")}
    </Empty>
  );
}
