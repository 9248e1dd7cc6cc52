import { whyLogged } from "@countersign/domain/validate/why";
import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Verdict } from "../../ui/verdict.tsx";
import { askExplain } from "./explain.ts";
import type { LoggedRequest } from "./request.ts";
import { RuleList } from "./rule-list.tsx";
import { useRuleWords } from "./rule-words.ts";
import { rulesNow } from "./shown-rules.ts";

/** What the same request would get now, and which rules decide otherwise than then. */
export function SaidNow({ request }: { request: LoggedRequest }) {
  const { t } = useTranslation("requests");
  const words = useRuleWords();
  const { license_id: licenseId, license_key: key } = request;
  const isKnown = licenseId !== null && key !== null;
  const asked = useQuery({
    ...askExplain(licenseId ?? "", {
      ip: request.ip.replace("/64", ""),
      ...(request.version === null ? {} : { version: request.version }),
    }),
    enabled: isKnown,
  });
  const isGone = (isKnown && asked.error instanceof ApiProblem && asked.error.status === 404) || !isKnown;
  return (
    <Section
      title={t("one.nowTitle")}
      actions={
        !isGone && (
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
      {isGone ? (
        <Text c="dimmed">{t(licenseId === null ? "one.nowNoLicense" : "one.nowGone")}</Text>
      ) : (
        <Stack gap="sm">
          <ProblemAlert error={asked.error} />
          {asked.isPending && <Skeleton height={120} />}
          {asked.data !== undefined && (
            <>
              <Verdict
                isRefused={!asked.data.valid}
                title={
                  asked.data.status === request.outcome
                    ? t("one.same", { outcome: t(`outcomes.${asked.data.status}`) })
                    : t("one.differs", {
                        before: t(`outcomes.${request.outcome}`),
                        now: t(`outcomes.${asked.data.status}`),
                      })
                }
              >
                <Text size="sm" c="dimmed">
                  {t("one.nowWords")}
                </Text>
              </Verdict>
              <RuleList
                label={t("one.nowTitle")}
                rules={rulesNow(asked.data.rules, words, whyLogged(request))}
              />
            </>
          )}
        </Stack>
      )}
    </Section>
  );
}
