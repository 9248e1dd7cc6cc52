import { Box, Button, Group, Switch, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, askPages, flat, useChange } from "../../../api/queries.ts";
import { DeviceIds } from "../../../app/device-ids.tsx";
import { useMay, useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { Copy } from "../../../ui/copy.tsx";
import { Form } from "../../../ui/form.tsx";
import { ValidateHelp } from "../../../ui/help.tsx";
import { ipClass } from "../../../ui/ip-class.ts";
import { GoLink } from "../../../ui/links.tsx";
import { List, RowAction } from "../../../ui/list.tsx";
import { notify, notifyProblem } from "../../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../../ui/problem-alert.tsx";
import { Section } from "../../../ui/section.tsx";
import { StateMark } from "../../../ui/state-mark.tsx";
import { LazyBlockDialog } from "../../ip-blocks/block-list.tsx";
import { type License, useAction } from "./license.ts";
import classes from "./license-page.module.css";

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
      <List
        label={t("ips.title")}
        rows={flat(list.data)}
        list={{ ...list, hasNextPage: false }}
        keyOf={(row) => row.ip}
        columns={[
          {
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
          { header: t("ips.registered"), wide: true, at: (row) => row.registered_at },
          { header: t("ips.lastSeen"), at: (row) => row.last_seen_at, never: t("ips.notSeen") },
          { header: t("ips.requests"), wide: true, count: (row) => row.hits },
          may("ip_blocks:manage", "licenses:reset_ips") && {
            header: t("ips.actions"),
            isHeaderHidden: true,
            align: "right",
            width: 84,
            cell: ({ ip, blocked }) => (
              <Group gap={2} wrap="nowrap" justify="flex-end">
                {may("ip_blocks:manage") && !blocked && (
                  <RowAction label={t("ips.block", { ip })} icon="block" onClick={() => setBlocking(ip)} />
                )}
                {may("licenses:reset_ips") && (
                  <RowAction
                    label={t("ips.remove", { ip })}
                    icon="close"
                    onClick={() => takeAway(ip).catch(notifyProblem)}
                  />
                )}
              </Group>
            ),
          },
        ]}
        empty={
          <Text c="dimmed" size="sm">
            {t("ips.none")}
          </Text>
        }
      />
      {/* A long list is loaded with a button, because the page goes on below it. */}
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

const licenseRoute = getRouteApi("/signed-in/o/$organization/licenses/$licenseId");

/** Registers an IP address, as a validation from it would. */
function AddIp({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const add = useChange("addLicenseIp");
  const { ip: wanted } = licenseRoute.useSearch();
  const [ip, setIp] = useState(wanted ?? "");
  const field = useRef<HTMLInputElement>(null);
  // A refused request links here with its IP address: only the button is left to press.
  useEffect(() => {
    if (wanted !== undefined) field.current?.focus();
  }, [wanted]);
  const submit = async () => {
    try {
      const added = await add.mutateAsync({ params: { license_id: license.id }, body: { ip } });
      notify(t("ips.added", { ip: added.ip }));
      setIp("");
    } catch {}
  };
  return (
    <>
      <Form onSubmit={submit} typed={ip === wanted ? "" : ip} error={add.error} className={classes.addIp}>
        <TextInput
          ref={field}
          aria-label={t("ips.addLabel")}
          placeholder={t("ips.addLabel")}
          required
          value={ip}
          onChange={(event) => setIp(event.currentTarget.value)}
          error={fieldError(add.error, "ip")}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          {t("everywhere:add")}
        </Button>
      </Form>
      <ProblemAlert error={add.error} beside={["ip"]} />
    </>
  );
}

/** Switches immediately, and back with the reason if the server rejects it. */
function LimitSwitch({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const queries = useQueryClient();
  const update = useChange("updateLicense");
  const { queryKey } = ask("getLicense", { params: { license_id: license.id } });
  const turn = async (isOn: boolean) => {
    queries.setQueryData(queryKey, { ...license, ip_system_enabled: isOn });
    try {
      await update.mutateAsync({ params: { license_id: license.id }, body: { ip_system_enabled: isOn } });
    } catch (error) {
      queries.setQueryData(queryKey, license);
      notifyProblem(error);
    }
  };
  return (
    <Switch
      size="sm"
      label={t("fields.ip_system_enabled")}
      checked={license.ip_system_enabled}
      onChange={(event) => void turn(event.currentTarget.checked)}
    />
  );
}
