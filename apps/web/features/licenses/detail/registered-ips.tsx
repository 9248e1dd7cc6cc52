import { ActionIcon, Box, Button, Group, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../../api/client.ts";
import { askPages, flat, useChange } from "../../../api/queries.ts";
import { DeviceIds } from "../../../app/device-ids.tsx";
import { useMay, useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { Copy } from "../../../ui/copy.tsx";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { GoLink } from "../../../ui/go-link.tsx";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { ipClass } from "../../../ui/ip-class.ts";
import { ListTime } from "../../../ui/list-time.tsx";
import { notify, notifyProblem } from "../../../ui/notify.tsx";
import { Section } from "../../../ui/section.tsx";
import { StateMark } from "../../../ui/state-mark.tsx";
import { ValidateHelp } from "../../../ui/validate-help.tsx";
import { LazyBlockDialog } from "../../ip-blocks/lazy-block-dialog.tsx";
import { AddIp, LimitSwitch } from "./ip-controls.tsx";
import type { License } from "./license.ts";
import classes from "./license-page.module.css";
import { useAction } from "./use-action.ts";

type LicenseIp = Item<"listLicenseIps">;

/** The registered IP addresses. Removing one can be undone. */
export function RegisteredIps({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const { slug } = useOrganization();
  const params = { license_id: license.id };
  const list = useInfiniteQuery(askPages("listLicenseIps", { params, query: { limit: 25 } }));
  const add = useChange("addLicenseIp");
  const remove = useChange("removeLicenseIp");
  const [, open] = useAction();
  const [blocking, setBlocking] = useState<string | null>(null);
  const takeAway = async (ip: string) => {
    await remove.mutateAsync({ params: { ...params, ip } });
    notify(t("ips.removed", { ip }), () => add.mutateAsync({ params, body: { ip } }));
  };
  const columns: Column<LicenseIp>[] = [
    {
      id: "ip",
      header: t("ips.ip"),
      cell: ({ ip, blocked, device_ids: devices }) => (
        <>
          <Group gap="0 4px">
            <GoLink to={paths.ip(slug, ip)} className={ipClass(ip)}>
              {ip}
            </GoLink>
            <Copy value={ip} />
            {blocked && <StateMark tone="bad">{t("ips.blocked")}</StateMark>}
          </Group>
          <DeviceIds ids={devices} licenseId={license.id} />
        </>
      ),
    },
    {
      id: "since",
      header: t("ips.registered"),
      wide: true,
      cell: (row) => <ListTime at={row.registered_at} />,
    },
    {
      id: "last",
      header: t("ips.lastSeen"),
      cell: (row) =>
        row.last_seen_at === null ? (
          <span className={classes.none}>{t("ips.notSeen")}</span>
        ) : (
          <ListTime at={row.last_seen_at} />
        ),
    },
    {
      id: "hits",
      header: t("ips.requests"),
      wide: true,
      align: "right",
      cell: (row) => <span className="figures">{row.hits.toLocaleString()}</span>,
    },
  ];
  if (may("ip_blocks:manage", "licenses:reset_ips"))
    columns.push({
      id: "do",
      header: <VisuallyHidden>{t("ips.actions")}</VisuallyHidden>,
      align: "right",
      width: 84,
      cell: ({ ip, blocked }) => (
        <Group gap={2} wrap="nowrap" justify="flex-end">
          {may("ip_blocks:manage") && !blocked && (
            <Act label={t("ips.block", { ip })} icon="block" act={() => setBlocking(ip)} />
          )}
          {may("licenses:reset_ips") && (
            <Act label={t("ips.remove", { ip })} icon="close" act={() => takeAway(ip).catch(notifyProblem)} />
          )}
        </Group>
      ),
    });
  return (
    <Section
      title={t("ips.title")}
      note={
        license.ip_system_enabled && license.max_ips !== null
          ? t("slots", { taken: license.current_unique_ip_count, count: license.max_ips })
          : t("anyIp")
      }
      bare
      id="addresses"
      actions={
        <>
          {may("licenses:update") && <LimitSwitch license={license} />}
          {may("licenses:reset_ips") && license.current_unique_ip_count > 0 && (
            <Button size="xs" variant="default" onClick={() => open("reset")}>
              {t("ips.reset")}
            </Button>
          )}
        </>
      }
    >
      {may("licenses:update") && (
        <Box mb="sm">
          <ValidateHelp about="ipLimit" />
        </Box>
      )}
      <DataTable
        label={t("ips.title")}
        columns={columns}
        rows={flat(list.data)}
        keyOf={(row) => row.ip}
        isPending={list.isPending}
        error={list.error}
        empty={
          <Text c="dimmed" size="sm">
            {t("ips.none")}
          </Text>
        }
      />
      {list.hasNextPage && (
        <Button
          variant="subtle"
          size="xs"
          mt="xs"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t("everywhere:more")}
        </Button>
      )}
      {may("licenses:update") && <AddIp license={license} />}
      <LazyBlockDialog
        scope={{ level: "license", licenseId: license.id }}
        opened={blocking !== null}
        cidr={blocking ?? ""}
        onClose={() => setBlocking(null)}
      />
    </Section>
  );
}

function Act({ label, icon, act }: { label: string; icon: IconName; act: () => unknown }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={() => void act()}>
        <Icon name={icon} size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
