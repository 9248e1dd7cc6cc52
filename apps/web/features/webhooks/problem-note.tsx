import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { EnableWebhook } from "./switch-webhook.tsx";
import { stateOf, type Webhook } from "./webhook-state.tsx";

/** Why deliveries fail and what to do; null if there is no problem. */
export function ProblemNote({ webhook, mayManage }: { webhook: Webhook; mayManage: boolean }) {
  const { t, i18n } = useTranslation("webhooks");
  const [isEnabling, setEnabling] = useState(false);
  const { id } = useOrganization();
  const state = stateOf(webhook);
  const statistics = useQuery({
    ...ask("getWebhookStatistics", { params: { organization_id: id, endpoint_id: webhook.id } }),
    enabled: state !== "enabled",
  });
  if (state === "enabled") return null;
  const since = webhook.status === "enabled" ? webhook.failing_since : webhook.disabled_at;
  const waiting = (statistics.data?.held ?? 0) + (statistics.data?.pending ?? 0);
  return (
    <Notice
      tone={state === "by_hand" ? "info" : state === "retrying" ? "warn" : "bad"}
      title={t(`problem.${state}.title`)}
    >
      <Stack gap="xs" align="flex-start">
        <Text component="div">
          {t(`problem.${state}.words`)}{" "}
          {since !== null && t("problem.since", { time: shortTime(since, i18n.language) })}{" "}
          {webhook.next_probe_at !== null && (
            <>
              {t("problem.nextProbe")} <Time at={webhook.next_probe_at} />.
            </>
          )}{" "}
          {waiting > 0 && t("problem.waiting", { count: waiting })}
        </Text>
        {mayManage && webhook.status === "disabled" && (
          <Group>
            <Button size="compact-sm" onClick={() => setEnabling(true)}>
              {t("enable.do")}
            </Button>
          </Group>
        )}
      </Stack>
      <EnableWebhook
        webhook={webhook}
        waiting={waiting}
        opened={isEnabling}
        onClose={() => setEnabling(false)}
      />
    </Notice>
  );
}

function shortTime(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
}
