import { useTranslation } from "react-i18next";
import type { License } from "../base/api.ts";
import { Section } from "../ui/page.tsx";
import { Ago } from "../ui/time.tsx";
import { Devices } from "./devices.tsx";
import classes from "./license.module.css";
import { sinceOf } from "./since.ts";

/** What apps were refused with in the last two weeks, in words, and what helps. */
export function RefusalsSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  return (
    <Section title={t("refusals.title")}>
      {license.refusals.length === 0 ? (
        <p className="dimmed">{t("refusals.none")}</p>
      ) : (
        <ul className={classes.list}>
          {license.refusals.map((refusal) => (
            <li key={refusal.status} className={classes.rowText}>
              <Refusal refusal={refusal} license={license} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface RefusalProps {
  readonly refusal: License["refusals"][number];
  readonly license: License;
}

function Refusal({ refusal, license }: RefusalProps) {
  const { t, i18n } = useTranslation("portal");
  const values = {
    ip: refusal.last_ip,
    version: refusal.last_version ?? "?",
    seller: license.seller.name,
    most: license.max_ips ?? 0,
  };
  const isLimit = refusal.status === "ip_limit_reached";
  // The limit may have been lifted since.
  const reason = isLimit && license.max_ips === null ? "ip_not_registered" : refusal.status;
  const canRemoveNone = isLimit && license.self_service.ip_removals.limit === 0;
  const since = sinceOf(refusal.first_at, Date.now(), i18n.language);
  return (
    <>
      <p>
        {t("refusals.sentence", {
          count: refusal.count,
          since: t(`refusals.${refusal.count === 1 ? "on" : "since"}.${since.kind}`, {
            day: "day" in since ? since.day : "",
          }),
          reason: t(`refusals.reason.${reason}`, values),
        })}
      </p>
      <p>{t(`refusals.remedy.${canRemoveNone ? "ask_to_remove" : refusal.status}`, values)}</p>
      <p className="small dimmed">
        {t("refusals.last")} <Ago at={refusal.last_at} />
        {" · "}
        <span className="mono">{refusal.last_ip}</span>
        {refusal.last_version !== null && ` · ${t("refusals.version", { version: refusal.last_version })}`}
      </p>
      <Devices ids={refusal.device_ids} />
    </>
  );
}
