import { Code, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { StateMark } from "../../ui/state-mark.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./webhooks.module.css";

interface AttemptBoxProps {
  readonly attempt: Item<"listWebhookAttempts">;
  readonly number: number;
  readonly url: string;
  /** The response of the latest attempt is open, because it usually shows the reason. */
  readonly isLast: boolean;
}

/** One attempt: its time, duration, request and response. */
export function AttemptBox({ attempt, number, url, isLast }: AttemptBoxProps) {
  const { t, i18n } = useTranslation("webhooks");
  const { failureText } = useProblemTexts();
  const { status, failure, response_body: body } = attempt;
  const isFine = status !== null && status >= 200 && status < 300;
  const headers = Object.entries(attempt.request_headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  return (
    <Stack gap="xs" className={classes.attempt ?? ""}>
      <Group gap="sm">
        <Text fw={600}>{t("attempt.number", { number })}</Text>
        <StateMark tone={isFine ? "good" : "bad"}>
          {status === null ? t("log.noResponse") : String(status)}
        </StateMark>
        <Text c="dimmed" size="sm" className="figures">
          {t("attempt.duration", {
            duration: new Intl.NumberFormat(i18n.language).format(attempt.duration_ms),
          })}
        </Text>
        <Text c="dimmed" size="sm" ml="auto" component="div">
          <Time at={attempt.at} />
        </Text>
      </Group>
      {failure !== null && <Text size="sm">{failureText(failure)}</Text>}
      <details>
        <summary>{t("attempt.request")}</summary>
        <Code block className={classes.body ?? ""} mt={6} tabIndex={0}>
          {`POST ${url}\n${headers}`}
        </Code>
      </details>
      {body !== null && (
        <details open={isLast && !isFine}>
          <summary>{t("attempt.response")}</summary>
          <Code block className={classes.body ?? ""} mt={6} tabIndex={0}>
            {body === "" ? t("attempt.emptyResponse") : body}
          </Code>
        </details>
      )}
    </Stack>
  );
}
