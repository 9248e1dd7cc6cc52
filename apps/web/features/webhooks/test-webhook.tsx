import { Alert, Button, Code, Group, Loader, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, reloadAfter, useChange } from "../../api/queries.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notifyProblem } from "../../ui/notify.tsx";
import type { Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

const everyMs = 500;

/** Sends a test event and shows the response. */
export function TestWebhook({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [deliveryId, setDeliveryId] = useState<string | null>(null);
  const test = useChange("testWebhook");
  const send = () =>
    test
      .mutateAsync({ params: { organization_id: id, endpoint_id: webhook.id } })
      .then((delivery) => setDeliveryId(delivery.id), notifyProblem);
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="play" size={14} />}
        loading={test.isPending}
        onClick={send}
      >
        {t("test.do")}
      </Button>
      <Modal
        opened={deliveryId !== null}
        onClose={() => setDeliveryId(null)}
        title={t("test.title")}
        size="lg"
      >
        {deliveryId !== null && (
          <TestResult
            webhook={webhook}
            deliveryId={deliveryId}
            again={send}
            isBusy={test.isPending}
            onDone={() => setDeliveryId(null)}
          />
        )}
      </Modal>
    </>
  );
}

interface TestResultProps {
  readonly webhook: Webhook;
  readonly deliveryId: string;
  readonly again: () => unknown;
  readonly isBusy: boolean;
  readonly onDone: () => void;
}

function TestResult({ webhook, deliveryId, again, isBusy, onDone }: TestResultProps) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const { failureText } = useProblemTexts();
  const touch = useRefreshOnce(deliveryId);
  const attempts = useQuery({
    ...ask("listWebhookAttempts", {
      params: { organization_id: id, endpoint_id: webhook.id, delivery_id: deliveryId },
    }),
    refetchInterval: ({ state }) => {
      const isThere = (state.data?.data.length ?? 0) > 0;
      if (isThere) touch();
      return isThere ? false : everyMs;
    },
  });
  const first = attempts.data?.data[0];
  if (first === undefined)
    return (
      <Group role="status" py="md">
        <Loader size="sm" />
        <Text>{t("test.waiting")}</Text>
      </Group>
    );
  const isFine = first.status !== null && first.status >= 200 && first.status < 300;
  return (
    <Stack>
      <Alert
        role="status"
        color={isFine ? "verdigris" : "red"}
        icon={<Icon name={isFine ? "check" : "warning"} />}
        title={
          first.status === null
            ? t("test.noResponse")
            : t("test.responded", { status: first.status, duration: first.duration_ms })
        }
      >
        {isFine ? t("test.delivered") : first.failure !== null && failureText(first.failure)}
      </Alert>
      {first.response_body !== null && first.response_body !== "" && (
        <div>
          <Dimmed mb={4}>{t("attempt.response")}</Dimmed>
          <Code block className={classes.body ?? ""} tabIndex={0}>
            {first.response_body}
          </Code>
        </div>
      )}
      {!isFine && <Text c="dimmed">{t("test.retried")}</Text>}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" loading={isBusy} onClick={again}>
          {t("test.again")}
        </Button>
        <Button onClick={onDone} data-autofocus>
          {t("everywhere:close")}
        </Button>
      </Group>
    </Stack>
  );
}

/** Refetches the log and the endpoint once for each delivery that has finished. */
function useRefreshOnce(deliveryId: string): () => void {
  const done = useRef<string | null>(null);
  return () => {
    if (done.current === deliveryId) return;
    done.current = deliveryId;
    void reloadAfter("sendWebhookDeliveryNow");
  };
}
