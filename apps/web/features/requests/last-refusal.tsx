import { dayMs } from "@countersign/domain/dates/lengths";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/links.tsx";
import { Time } from "../../ui/time.tsx";
import { Ip } from "./ip-link.tsx";

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
