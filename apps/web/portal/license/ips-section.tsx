import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type License } from "../base/api.ts";
import { licenseChanged } from "../base/queries.ts";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Badge } from "../ui/notice.tsx";
import { focusOn, Section } from "../ui/page.tsx";
import { Ago, dayText } from "../ui/time.tsx";
import classes from "./license.module.css";

export const ipsHeading = "ip-addresses";

type Ip = License["ips"][number];

export function IpsSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  const { ips, self_service: offers, max_ips: most, current_unique_ip_count: used } = license;
  const [chosenIps, setAsked] = useState<Ip | "all" | null>(null);
  const params = { license_id: license.id };
  const done = (text: string) => {
    setAsked(null);
    announce(text);
    // The button that had the focus is gone.
    requestAnimationFrame(() => focusOn(ipsHeading));
  };
  const left = offers.ip_removals.left;
  if (!license.ip_system_enabled && ips.length === 0)
    return (
      <Section id={ipsHeading} title={t("ips.title")}>
        <p>{t("ips.notLimited")}</p>
      </Section>
    );
  return (
    <Section
      id={ipsHeading}
      title={t("ips.title")}
      mark={license.ip_system_enabled && most !== null && <span>{t("ips.used", { used, count: most })}</span>}
    >
      <p>{license.ip_system_enabled ? t("ips.text", { count: most ?? 0 }) : t("ips.notLimited")}</p>
      {license.your_ip !== null && !ips.some(({ is_you }) => is_you) && (
        <p className="small dimmed">{t("ips.yours", { ip: license.your_ip })}</p>
      )}
      {ips.length === 0 ? (
        <p className="dimmed">{t("ips.none")}</p>
      ) : (
        <ul className={classes.list}>
          {ips.map((ip) => (
            <li key={ip.ip} className={classes.row}>
              <div className={classes.rowText}>
                <div className={classes.rowTitle}>
                  <span className="mono">{ip.ip}</span>
                  {ip.is_you && <Badge tone="good">{t("ips.you")}</Badge>}
                </div>
                <Seen ip={ip} />
                <Devices ids={ip.device_ids} />
              </div>
              {offers.ip_removals.limit > 0 && (
                <Button
                  isSmall
                  disabled={!offers.can_remove_ip}
                  aria-label={t("ips.removeOne", { ip: ip.ip })}
                  onClick={() => setAsked(ip)}
                >
                  {t("ips.remove")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {ips.length < used && <p className="small dimmed">{t("ips.more", { count: used - ips.length })}</p>}
      <Budget license={license} />
      {offers.ip_removals.limit > 0 && used > 1 && (
        <div>
          <Button disabled={!offers.can_reset_ips} onClick={() => setAsked("all")}>
            {t("ips.reset", { count: used })}
          </Button>
          {!offers.can_reset_ips && offers.can_remove_ip && (
            <p className="small dimmed">{t("ips.resetTooMany", { count: used, left })}</p>
          )}
        </div>
      )}
      {chosenIps === "all" && (
        <Confirm
          title={t("ips.resetTitle", { count: used })}
          label={t("ips.resetConfirm")}
          run={async () => licenseChanged(await call("resetPortalIps", { params }))}
          onDone={() => done(t("ips.resetDone"))}
          onClose={() => setAsked(null)}
        >
          <p>{t("ips.resetText")}</p>
          <p>{t("ips.cost", { count: used, left: left - used })}</p>
          <p>{t("cannotBeUndone")}</p>
        </Confirm>
      )}
      {chosenIps !== null && chosenIps !== "all" && (
        <Confirm
          title={t("ips.removeTitle", { ip: chosenIps.ip })}
          label={t("ips.removeConfirm")}
          run={async () =>
            licenseChanged(await call("removePortalIp", { params: { ...params, ip: chosenIps.ip } }))
          }
          onDone={() => done(t("ips.removed", { ip: chosenIps.ip }))}
          onClose={() => setAsked(null)}
        >
          <p>{t(chosenIps.is_you ? "ips.removeYoursText" : "ips.removeText")}</p>
          <p>{t("ips.cost", { count: 1, left: left - 1 })}</p>
          <p>{t("cannotBeUndone")}</p>
        </Confirm>
      )}
    </Section>
  );
}

function Seen({ ip }: { readonly ip: Ip }) {
  const { t } = useTranslation("portal");
  return (
    <div className="small dimmed">
      {t("ips.lastSeen")} {ip.last_seen_at === null ? t("ips.never") : <Ago at={ip.last_seen_at} />}
      {" · "}
      {t("ips.firstSeen")} <Ago at={ip.first_seen_at ?? ip.registered_at} />
    </div>
  );
}

/** How many IP addresses the customer can still remove, and when more can be removed. */
function Budget({ license }: { readonly license: License }) {
  const { t, i18n } = useTranslation("portal");
  const { limit, left, next_at: nextAt } = license.self_service.ip_removals;
  if (limit === 0)
    return <p className="small dimmed">{t("ips.notOffered", { seller: license.seller.name })}</p>;
  return (
    <p className="small dimmed">
      {t("ips.budget", { count: left, limit })}
      {nextAt !== null && ` ${t("ips.budgetNext", { date: dayText(nextAt, i18n.language) })}`}
    </p>
  );
}

const maxDevices = 3;

/** The devices at an IP address, by the IDs that apps send. */
export function Devices({ ids }: { readonly ids: readonly string[] }) {
  const { t } = useTranslation("portal");
  if (ids.length === 0) return null;
  const names = ids.slice(0, maxDevices).join(", ");
  const more = ids.length - maxDevices;
  return (
    <div className={`small dimmed ${classes.devices}`}>
      {more > 0 ? t("ips.devicesMore", { names, count: more }) : t("ips.devices", { names })}
    </div>
  );
}
