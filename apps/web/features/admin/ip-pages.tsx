import { Button, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, askPages } from "../../api/queries.ts";
import { PlainDeviceIds } from "../../app/device-ids.tsx";
import { paths } from "../../session/paths.ts";
import { Copy } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Verdict } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { BlockDialog } from "../ip-blocks/block-dialog.tsx";
import { BlockList, LazyBlockDialog } from "../ip-blocks/block-list.tsx";
import { IpList } from "../ips/ips-page.tsx";
import { Sightings } from "../ips/sightings.tsx";

const platform = { level: "platform" } as const;

const platformIpsRoute = getRouteApi("/signed-in/admin/admin-layout/ips");

/** The IP addresses that use licenses of any organization. */
export function PlatformIpsPage() {
  const { t } = useTranslation("admin");
  const search = platformIpsRoute.useSearch();
  const navigate = platformIpsRoute.useNavigate();
  const list = useInfiniteQuery(
    askPages("listPlatformIps", { query: { cidr: search.in, min_licenses: search.min } }),
  );
  return (
    <Page wide title={t("ips.title")} lead={t("ips.lead")}>
      <IpList
        pageOf={paths.platformIp}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: next.min !== search.min })}
        devices={PlainDeviceIds}
        list={list}
      />
    </Page>
  );
}

const platformIpRoute = getRouteApi("/signed-in/admin/admin-layout/ips/$ip");

/** One IP address, and the organizations whose licenses were used from it. */
export function PlatformIpPage() {
  const { t } = useTranslation("admin");
  const { ip } = platformIpRoute.useParams();
  const { block } = platformIpRoute.useSearch();
  const navigate = platformIpRoute.useNavigate();
  const address = useQuery(ask("getPlatformIp", { params: { ip } }));
  const openBlock = (open: boolean) => void navigate({ search: { block: open || undefined }, replace: true });
  return (
    <Page
      title={ip}
      above={<Back to={paths.platformIps()}>{t("ips.title")}</Back>}
      beside={<Copy value={ip} />}
      actions={
        address.data?.blocked === false && (
          <Button
            variant="default"
            leftSection={<Icon name="block" size={16} />}
            onClick={() => openBlock(true)}
          >
            {t("ips.block")}
          </Button>
        )
      }
    >
      <Stack gap="lg">
        <ProblemAlert error={address.error} />
        {address.data === undefined ? (
          address.isPending && <Skeleton height={120} />
        ) : (
          <>
            {address.data.blocked && (
              <Verdict isRefused title={t("ips.blocked")}>
                <GoLink to={paths.platformIpBlocks()} size="sm" underline="always">
                  {t("ips.showBlocks")}
                </GoLink>
              </Verdict>
            )}
            <Sightings address={address.data} never={t("ips.neverSeen")} />
            {address.data.device_ids.length > 0 && (
              <Section title={t("ips.devices")}>
                <PlainDeviceIds ids={address.data.device_ids} all />
              </Section>
            )}
            <Organizations rows={address.data.organizations} />
          </>
        )}
      </Stack>
      <LazyBlockDialog scope={platform} opened={block === true} cidr={ip} onClose={() => openBlock(false)} />
    </Page>
  );
}

type SeenBy = Answer<"getPlatformIp">["organizations"][number];

function Organizations({ rows }: { rows: readonly SeenBy[] }) {
  const { t } = useTranslation("admin");
  return (
    <Section bare title={t("organizations.title")}>
      <List
        label={t("organizations.title")}
        rows={rows}
        keyOf={(row) => row.organization_id}
        columns={[
          {
            header: t("organizations.name"),
            cell: (row) => (
              <>
                <GoLink to={paths.platformOrganization(row.organization_id)} size="sm" fw={600}>
                  {row.name}
                </GoLink>
                <PlainDeviceIds ids={row.device_ids} />
              </>
            ),
          },
          { header: t("organizations.licenses"), count: (row) => row.license_count },
          { header: t("ips.requests"), wide: true, count: (row) => row.hits },
          { header: t("ips.firstSeen"), wide: true, at: (row) => row.first_seen_at },
          { header: t("ips.lastSeen"), wide: true, at: (row) => row.last_seen_at },
        ]}
        empty={{ icon: "organization", title: t("nothingFound"), words: t("ips.neverSeen") }}
      />
    </Section>
  );
}

export function PlatformBlocksPage() {
  const { t } = useTranslation(["admin", "ip-blocks"]);
  const [isOpen, setOpen] = useState(false);
  const button = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
      {t("ip-blocks:form.add")}
    </Button>
  );
  return (
    <Page wide title={t("blocks.title")} lead={t("blocks.lead")} actions={button}>
      <BlockList
        scope={platform}
        empty={
          <Empty icon="block" title={t("ip-blocks:empty.title")} action={button}>
            {t("blocks.empty")}
          </Empty>
        }
      />
      <BlockDialog scope={platform} opened={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}
