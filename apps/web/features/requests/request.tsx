import type { RequestOutcome } from "@countersign/domain/validate/status";
import { Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { shownTimeZone } from "../../i18n/shown-time-zone.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { ipClass } from "../../ui/ip-class.ts";
import { GoLink } from "../../ui/links.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { exactTime } from "../../ui/time.tsx";

export type LoggedRequest = Item<"listRequests">;

/** The outcome of a request as a symbol and words. */
export function OutcomeMark({ outcome }: { outcome: RequestOutcome }) {
  const { t } = useTranslation("requests");
  return <StateMark tone={toneOf(outcome)}>{t(`outcomes.${outcome}`)}</StateMark>;
}

type Tone = "good" | "warn" | "bad" | "off";

/** How serious an outcome is. A request that no rule has decided on needs attention from the seller, not the customer. */
function toneOf(outcome: RequestOutcome): Tone {
  switch (outcome) {
    case "active":
    case "found":
      return "good";
    case "not_found":
      return "off";
    case "rate_limit_exceeded":
    case "body_too_large":
    case "body_timeout":
      return "warn";
    default:
      return "bad";
  }
}

/** To the second, in the time zone that all pages use; the year and the zone on hover. */
export function RequestTime({ at }: { at: string }) {
  const { i18n } = useTranslation();
  return (
    <Tooltip label={exactTime(at, i18n.language)} openDelay={300}>
      <time dateTime={at} className="figures oneLine">
        {timeToTheSecond(at, i18n.language)}
      </time>
    </Tooltip>
  );
}

/** Cached: creating a formatter is far slower than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

export function timeToTheSecond(at: string, language: string): string {
  const timeZone = shownTimeZone();
  const name = `${language} ${timeZone}`;
  let format = formats.get(name);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(language, {
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZone,
    });
    formats.set(name, format);
  }
  return format.format(new Date(at));
}

/** For sentences: the day and the minute. */
export function timeInWords(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: shownTimeZone(),
  }).format(new Date(at));
}

/** The whole time, for comparing it with another log. */
export function timeWithMilliseconds(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZoneName: "short",
    timeZone: shownTimeZone(),
  }).format(new Date(at));
}

/** An IP address that links to its page. */
export function Ip({ ip }: { ip: string }) {
  const maySee = useMaySee();
  const { slug } = useOrganization();
  if (!maySee("licenses:view")) return <span className={ipClass(ip)}>{ip}</span>;
  return (
    <GoLink to={paths.ip(slug, ip)} inherit className={ipClass(ip)}>
      {ip}
    </GoLink>
  );
}
