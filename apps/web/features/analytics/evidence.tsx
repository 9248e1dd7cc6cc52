import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import classes from "./analytics.module.css";

export type Suspect = Item<"listSharingSuspects">;

/** Counts stop here. */
const most = 50;

/** What makes a license a suspect, with examples. */
export function Evidence({ suspect }: { suspect: Suspect }) {
  const { t, i18n } = useTranslation("analytics");
  const number = new Intl.NumberFormat(i18n.language);
  const atLeast = (count: number) => (count >= most ? `${number.format(most)}+` : number.format(count));
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
