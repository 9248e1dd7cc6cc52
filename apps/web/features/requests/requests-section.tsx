import { dayMs } from "@countersign/domain/dates/lengths";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { Ip } from "./request.tsx";
import { type Known, useRequestColumns } from "./request-columns.tsx";

const maxShown = 8;

/** The latest requests with a license. */
export function LicenseRequests({ licenseId }: { licenseId: string }) {
  const { t } = useTranslation("requests");
  return (
    <RequestsSection known="license" filter={{ license_id: licenseId }} empty={t("section.noneOfLicense")} />
  );
}

/** The latest requests from an IP address. */
export function IpRequests({ ip }: { ip: string }) {
  const { t } = useTranslation("requests");
  return <RequestsSection known="ip" filter={{ ip }} empty={t("section.noneOfIp")} />;
}

interface RequestsSectionProps {
  readonly known: Known;
  readonly filter: { readonly license_id: string } | { readonly ip: string };
  readonly empty: string;
}

function RequestsSection({ known, filter, empty }: RequestsSectionProps) {
  const { t } = useTranslation("requests");
  const { id, slug } = useOrganization();
  const columns = useRequestColumns(known);
  const list = useQuery(
    ask("listRequests", { params: { organization_id: id }, query: { ...filter, limit: maxShown } }),
  );
  return (
    <Section
      title={t("section.title")}
      bare
      id="requests"
      actions={
        (list.data?.data ?? []).length > 0 && (
          <GoLink to={paths.requests(slug, filter)} size="sm">
            {t("section.all")}
          </GoLink>
        )
      }
    >
      <List label={t("section.title")} list={list} columns={columns} empty={<Dimmed>{empty}</Dimmed>} />
    </Section>
  );
}

/** Older refusals are rarely what a customer asks about. */
const recentMs = 7 * dayMs;

/** The latest refusal of a license, with a link to the reason. Nothing if there was none in the last days. */
export function LastRefusal({ licenseId }: { licenseId: string }) {
  const { t } = useTranslation("requests");
  const { id, slug } = useOrganization();
  const [from] = useState(() => new Date(Date.now() - recentMs).toISOString());
  const { data } = useQuery(
    ask("listRequests", {
      params: { organization_id: id },
      query: { license_id: licenseId, refused: "true", from, limit: 1 },
    }),
  );
  const [request] = data?.data ?? [];
  if (request === undefined) return null;
  return (
    <Text size="sm">
      <Trans
        t={t}
        i18nKey="lastRefusal.words"
        values={{ outcome: t(`outcomes.${request.outcome}`) }}
        components={{ when: <Time at={request.at} />, ip: <Ip ip={request.ip} /> }}
      />{" "}
      <GoLink to={paths.request(slug, request.id)} inherit fw={600}>
        {t("why")}
      </GoLink>
    </Text>
  );
}
