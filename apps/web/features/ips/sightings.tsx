import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./ips.module.css";

type SeenIp = Pick<Answer<"getIp">, "ip" | "sightings">;

/** An IPv6 address can be counted as itself and as its network; both are shown. */
export function Sightings({ address, never }: { address: SeenIp; never: string }) {
  const { t } = useTranslation("ips");
  if (address.sightings.length === 0)
    return (
      <Section title={t("seen")}>
        <Text c="dimmed">{never}</Text>
      </Section>
    );
  return address.sightings.map((seen) => (
    <Section
      key={seen.ip}
      title={t("seen")}
      note={
        address.sightings.length > 1 || seen.ip !== address.ip ? t("countedAs", { ip: seen.ip }) : undefined
      }
    >
      <dl className={`${classes.figures} figures`}>
        <Figure name={t("licenses")}>{seen.license_count}</Figure>
        <Figure name={t("requests")}>{seen.hits.toLocaleString()}</Figure>
        <Figure name={t("firstSeen")}>
          <Time at={seen.first_seen_at} />
        </Figure>
        <Figure name={t("lastSeen")}>
          <Time at={seen.last_seen_at} />
        </Figure>
      </dl>
    </Section>
  ));
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
