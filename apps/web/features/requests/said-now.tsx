import { whyLogged } from "@countersign/domain/validate/why";
import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Icon } from "../../ui/icon.tsx";
import { Verdict } from "../../ui/notice.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import type { LoggedRequest } from "./request.ts";
import { RuleList } from "./rule-list.tsx";
import { useRuleWords } from "./rule-words.ts";
import { rulesNow } from "./shown-rules.ts";

type Explained = Answer<"explainRequest">;

/** What the same request would get now, which rules decide otherwise than then, and what cannot be known. */
export function SaidNow({ request }: { request: LoggedRequest }) {
  const { t } = useTranslation("requests");
  const { id: organizationId } = useOrganization();
  const words = useRuleWords();
  const params = { organization_id: organizationId, request_id: request.id };
  const asked = useQuery({ ...ask("explainRequest", { params }), staleTime: 0 });
  return (
    <Section
      title={t("one.nowTitle")}
      actions={
        !request.sandbox && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="refresh" size={14} />}
            loading={asked.isFetching}
            onClick={() => void asked.refetch()}
          >
            {t("one.recheck")}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <ProblemAlert error={asked.error} />
        {asked.isPending && <Skeleton height={120} />}
        {asked.data !== undefined && (
          <>
            <Now request={request} explained={asked.data} />
            {asked.data.rules.length > 0 && (
              <RuleList
                label={t("one.nowTitle")}
                rules={rulesNow(asked.data.rules, words, whyLogged(request))}
              />
            )}
          </>
        )}
      </Stack>
    </Section>
  );
}

/** The outcome, or why there is none. */
function Now({ request, explained }: { request: LoggedRequest; explained: Explained }) {
  const { t } = useTranslation("requests");
  const { outcome, accepted, unrepeatable } = explained;
  const note =
    unrepeatable === null ? t(`one.nowWords.${request.endpoint}`) : t(`one.unrepeatable.${unrepeatable}`);
  if (outcome === null) return <Text>{note}</Text>;
  return (
    <Verdict
      isRefused={accepted === false}
      title={
        outcome === request.outcome
          ? t("one.same", { outcome: t(`outcomes.${outcome}`) })
          : t("one.differs", { before: t(`outcomes.${request.outcome}`), now: t(`outcomes.${outcome}`) })
      }
    >
      <Text size="sm" c="dimmed">
        {note}
      </Text>
    </Verdict>
  );
}
