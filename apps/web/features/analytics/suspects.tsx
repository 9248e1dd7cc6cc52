import { ActionIcon, Menu } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useMay, useMaySee, useMe, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { CsvLink } from "../../ui/chart/chart-section.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Help } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/section.tsx";
import { LazyBlockDialog } from "../ip-blocks/block-list.tsx";
import { utcDay } from "../usage/figures.ts";
import classes from "./analytics.module.css";
import { ListedLicense } from "./refused-licenses.tsx";
import type { AnalyticsState } from "./use-analytics.ts";

const shown = 20;

/** Licenses that may be shared, why, and what can be done. */
export function Suspects({ state }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { id } = useOrganization();
  const isOperator = useMe().is_platform_admin;
  const list = useQuery({
    ...ask("listSharingSuspects", {
      params: { organization_id: id },
      query: { ...state.scope, limit: shown },
    }),
    placeholderData: keepPreviousData,
  });
  const number = new Intl.NumberFormat(i18n.language);
  const title = t("sharing.title");
  return (
    <Section
      bare
      title={title}
      beside={<Help about={title}>{t("sharing.help")}</Help>}
      actions={<CsvLink href={state.csv("sharing")} title={title} />}
    >
      <List
        label={title}
        list={list}
        keyOf={(row) => row.license_id}
        columns={[
          { header: t("license"), cell: (row) => <ListedLicense license={row} /> },
          { header: t("sharing.evidence"), fills: true, cell: (row) => <Evidence suspect={row} /> },
          {
            header: t("sharing.days"),
            wide: true,
            cell: (row) => (
              <span className="figures">
                {t("sharing.dayCount", { count: row.days })}
                <br />
                {state.isCompared && (
                  <>
                    {t("figures.beforeOnly", { value: number.format(row.previous_days) })}
                    <br />
                  </>
                )}
                {t("sharing.last", { day: utcDay(Date.parse(row.last_day), i18n.language) })}
              </span>
            ),
          },
          {
            header: t("sharing.act"),
            isHeaderHidden: true,
            align: "right",
            cell: (row) => <SuspectActions suspect={row} />,
          },
        ]}
        empty={t("sharing.none")}
      />
      {list.data?.has_places === false && isOperator && <Dimmed mt="xs">{t("sharing.noPlaces")}</Dimmed>}
    </Section>
  );
}

type Suspect = Item<"listSharingSuspects">;

/** Counts stop here. */
const maxCount = 50;

/** What makes a license a suspect, with examples. */
function Evidence({ suspect }: { suspect: Suspect }) {
  const { t, i18n } = useTranslation("analytics");
  const number = new Intl.NumberFormat(i18n.language);
  const atLeast = (count: number) =>
    count >= maxCount ? `${number.format(maxCount)}+` : number.format(count);
  const { reasons, ips, devices, max_ips: limit, travel, sample_ips, sample_devices } = suspect;
  return (
    <div className={classes.evidence}>
      {reasons.includes("many_ips") && (
        <div>
          {limit === null
            ? t("sharing.ips", { ips: atLeast(ips) })
            : t("sharing.ipsOfLimit", { ips: atLeast(ips), limit: number.format(limit) })}
          <div className={classes.samples}>
            <Ips seen={sample_ips} licenseId={suspect.license_id} />
          </div>
        </div>
      )}
      {reasons.includes("many_devices") && (
        <div>
          {t("sharing.devices", { devices: atLeast(devices) })}
          <div className={`${classes.samples} mono`}>{sample_devices.join(", ")}</div>
        </div>
      )}
      {travel !== null && reasons.includes("impossible_travel") && (
        <div>
          {t("sharing.travel", {
            km: number.format(travel.distance_km),
            minutes: number.format(minutesBetween(travel.before.at, travel.after.at)),
          })}
          <div className={classes.samples}>
            <Ip seen={travel.before} licenseId={suspect.license_id} />{" "}
            {countryOf(travel.before.country, i18n.language)} →{" "}
            <Ip seen={travel.after} licenseId={suspect.license_id} />{" "}
            {countryOf(travel.after.country, i18n.language)}
          </div>
        </div>
      )}
    </div>
  );
}

interface SeenIp {
  readonly ip: string;
  readonly device_ids: readonly string[] | null;
}

function Ips({ seen, licenseId }: { seen: readonly SeenIp[]; licenseId: string }) {
  return (
    <ul className={classes.ips}>
      {seen.map((one) => (
        <li key={one.ip}>
          <Ip seen={one} licenseId={licenseId} />
        </li>
      ))}
    </ul>
  );
}

/** Linked to its page, with the device IDs that the license was used with from there; a network has no page. */
function Ip({ seen: { ip, device_ids: devices }, licenseId }: { seen: SeenIp; licenseId: string }) {
  const { slug } = useOrganization();
  const opens = useMaySee()("licenses:view", "ip_blocks:manage");
  return (
    <span className={classes.seen}>
      {opens ? (
        <GoLink
          inherit
          className="mono"
          to={ip.includes("/") ? paths.ips(slug, { in: ip }) : paths.ip(slug, ip)}
        >
          {ip}
        </GoLink>
      ) : (
        <span className="mono">{ip}</span>
      )}
      <DeviceIds ids={devices} licenseId={licenseId} />
    </span>
  );
}

function minutesBetween(before: string, after: string): number {
  return Math.max(1, Math.round((Date.parse(after) - Date.parse(before)) / 60_000));
}

function countryOf(country: string | null, language: string): string {
  if (country === null) return "";
  return `(${new Intl.DisplayNames(language, { type: "region", fallback: "code" }).of(country) ?? country})`;
}

/** What can be done about a license that may be shared. */
function SuspectActions({ suspect }: { suspect: Suspect }) {
  const { t } = useTranslation("analytics");
  const { slug } = useOrganization();
  const may = useMay();
  const sees = useMaySee();
  const [isBlocking, setBlocking] = useState(false);
  const { license_id: id, license_key: key, product_id: productId, max_ips: limit } = suspect;
  const links = [
    { name: "open", to: paths.license(slug, id), isShown: sees("licenses:view") },
    {
      name: "requests",
      to: paths.requests(slug, { license_id: id }),
      isShown: sees("requests:view"),
    },
    { name: "limit", to: paths.license(slug, id, { do: "edit" }), isShown: may("licenses:update") },
    {
      name: "shadow",
      to: paths.shadow(slug, productId, { change: "max_ips", value: String(lowerThan(limit)) }),
      isShown: sees("requests:view") && sees("products:view", "products:manage"),
    },
    { name: "revoke", to: paths.license(slug, id, { do: "revoke" }), isShown: may("licenses:revoke") },
  ].filter(({ isShown }) => isShown);
  const mayBlock = may("ip_blocks:manage");
  if (key === null || (links.length === 0 && !mayBlock)) return null;
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon aria-label={t("sharing.actions", { key })}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {links.map(({ name, to }) => (
            <Menu.Item
              key={name}
              renderRoot={(props) => <Link {...props} {...to} />}
              {...(name === "revoke" ? { color: "red" } : {})}
            >
              {t(`sharing.do.${name}`)}
            </Menu.Item>
          ))}
          {mayBlock && (
            <Menu.Item {...LazyBlockDialog.near} onClick={() => setBlocking(true)}>
              {t("sharing.do.block")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <LazyBlockDialog
        scope={{ level: "license", licenseId: id }}
        opened={isBlocking}
        onClose={() => setBlocking(false)}
      />
    </>
  );
}

/** A limit to try: below the present one, or a usual one if there is none. */
function lowerThan(limit: number | null): number {
  return limit === null ? 3 : Math.max(1, limit - 1);
}
