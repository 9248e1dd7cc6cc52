import { Skeleton, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";

/** The success rate of the last seven days, with details on hover. */
export function SuccessRate({ webhookId }: { webhookId: string }) {
  const { t, i18n } = useTranslation("webhooks");
  const { id } = useOrganization();
  const { data, error } = useQuery({
    ...ask("getWebhookStatistics", { params: { organization_id: id, endpoint_id: webhookId } }),
    staleTime: 60_000,
  });
  if (error !== null) return <Text inherit>–</Text>;
  if (data === undefined) return <Skeleton height={14} width={44} ml="auto" />;
  const { success_rate: rate, attempts, failed_attempts: failed } = data.last_7_days;
  return (
    <Tooltip
      label={t("rate.words", { attempts, succeeded: attempts - failed, waiting: data.pending + data.held })}
    >
      <Text
        inherit
        component="span"
        className="figures"
        tabIndex={0}
        {...(rate === null ? { c: "dimmed" } : {})}
      >
        {rate === null ? "–" : percentage(rate, i18n.language)}
      </Text>
    </Tooltip>
  );
}

/** Rounded down: 100% means that no attempt failed. */
export function percentage(rate: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: "percent",
    maximumFractionDigits: 1,
    roundingMode: "floor",
  } as Intl.NumberFormatOptions).format(rate);
}
