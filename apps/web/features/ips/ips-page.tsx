import { Button, Group, Select, TextInput } from "@mantine/core";
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Copy } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ipClass } from "../../ui/ip-class.ts";
import type { PageLink } from "../../ui/links.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { IpTabs } from "../ip-blocks/ip-tabs.tsx";
import classes from "./ips.module.css";
import type { IpsSearch } from "./search.ts";

const ipsRoute = getRouteApi("/signed-in/o/$organization/ips");

/** The IP addresses that use licenses, those with the most licenses first. */
export function IpsPage() {
  const { t } = useTranslation("ips");
  const { id: organizationId, slug } = useOrganization();
  const search = ipsRoute.useSearch();
  const navigate = ipsRoute.useNavigate();
  const list = useInfiniteQuery(
    askPages("listIps", {
      params: { organization_id: organizationId },
      query: { cidr: search.in, min_licenses: search.min },
    }),
  );
  return (
    <Page wide title={t("title")} lead={t("lead")}>
      <IpTabs current="ips" />
      <IpList
        pageOf={(ip) => paths.ip(slug, ip)}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: next.min !== search.min })}
        devices={DeviceIds}
        list={list}
      />
    </Page>
  );
}

type Sighting = Item<"listIps">;

/** What shows the device IDs: with links to their requests, or without. */
type ShowDevices = (props: { ids: readonly string[] | null }) => ReactNode;

interface IpListProps {
  /** The page of an IP address. */
  readonly pageOf: (ip: string) => PageLink;
  readonly search: IpsSearch;
  readonly onSearch: (search: IpsSearch) => void;
  readonly devices: ShowDevices;
  readonly list: UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly Sighting[] }>>;
}

/** IP addresses, those with the most licenses first, of an organization or of the whole server. */
export function IpList({ pageOf, search, onSearch, devices: Devices, list }: IpListProps) {
  const { t } = useTranslation("ips");
  const { in: network, min } = search;
  const rows = flat(list.data);
  const most = Math.max(1, ...rows.map((row) => row.license_count));
  // An invalid network is reported at the field, not instead of the list.
  const refusal = fieldError(list.error, "cidr");
  const isFiltered = network !== undefined || min !== undefined;
  const hasNone = list.isSuccess && rows.length === 0 && !list.hasNextPage && !isFiltered;
  return (
    <>
      {!hasNone && (
        <Group mb="md" align="flex-end" gap="sm">
          <Find
            key={network}
            pageOf={pageOf}
            network={network}
            refusal={refusal}
            onNetwork={(wanted) => onSearch({ ...search, in: wanted })}
          />
          <Select
            label={t("min.label")}
            data={["1", "2", "5", "10", "50"].map((value) => ({ value, label: t(`min.${value}`) }))}
            value={String(min ?? 1)}
            allowDeselect={false}
            w={180}
            onChange={(value) => onSearch({ ...search, min: Number(value) })}
          />
          {isFiltered && (
            <Button variant="subtle" onClick={() => onSearch({})}>
              {t("clear")}
            </Button>
          )}
        </Group>
      )}
      <List
        label={t("title")}
        list={refusal === null ? list : { ...list, error: null }}
        keyOf={(row) => row.ip}
        columns={[
          {
            header: t("ipAndDevice"),
            cell: ({ ip, blocked, device_ids: ids }) => (
              <>
                <Group gap="0 4px">
                  <GoLink to={pageOf(ip)} className={ipClass(ip)}>
                    {ip}
                  </GoLink>
                  <Copy value={ip} />
                  {blocked && (
                    <StateMark tone="bad" words={t("blockedWords")}>
                      {t("isBlocked")}
                    </StateMark>
                  )}
                </Group>
                <Devices ids={ids} />
              </>
            ),
          },
          {
            header: t("licenses"),
            cell: ({ license_count: count }) => (
              <span className={`${classes.count} figures`}>
                {count}
                <span
                  className={classes.bar}
                  style={{ width: `${Math.round((100 * count) / most)}%` }}
                  aria-hidden="true"
                />
              </span>
            ),
          },
          { header: t("requests"), wide: true, count: (row) => row.hits },
          { header: t("firstSeen"), wide: true, at: (row) => row.first_seen_at },
          { header: t("lastSeen"), wide: true, at: (row) => row.last_seen_at },
        ]}
        isFiltered={isFiltered}
        empty={{ icon: "ip", title: t("empty.title"), words: t("empty.words") }}
        nothing={{ icon: "ip", title: t("nothing.title"), words: t("nothing.words") }}
      />
    </>
  );
}

interface FindProps {
  readonly pageOf: (ip: string) => PageLink;
  readonly network: string | undefined;
  readonly refusal: string | null;
  readonly onNetwork: (network: string | undefined) => void;
}

/** An IP address opens its page; a network filters the list. */
function Find({ pageOf, network, refusal, onNetwork }: FindProps) {
  const { t } = useTranslation("ips");
  const navigate = useNavigate();
  const [text, setText] = useState(network ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted !== "" && !wanted.includes("/")) void navigate(pageOf(wanted));
    else onNetwork(wanted === "" ? undefined : wanted);
  };
  return (
    // No guarded form: a search saves nothing, and the URL contains it.
    <form onSubmit={submit} className={classes.find}>
      <TextInput
        label={t("find")}
        placeholder="203.0.113.7, 203.0.113.0/24"
        leftSection={<Icon name="search" size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={refusal}
      />
    </form>
  );
}
