import { isFinal } from "@countersign/domain/webhooks/delivery";
import { Button, Code, Drawer, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answer, Item } from "../../api/client.ts";
import { ask, askPages, flat } from "../../api/queries.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Copy, Copyable } from "../../ui/copy.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Fact } from "../../ui/section.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { DeliveryStateMark, isRetrying, type Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

type Delivery = Answer<"getWebhookDelivery">;

interface DeliveryDrawerProps {
  readonly webhook: Webhook;
  readonly deliveryId: string | null;
  readonly onClose: () => void;
  /** Undefined if it is not possible to send. */
  readonly replay?: (delivery: Delivery) => void;
  readonly sendNow?: (delivery: Delivery) => unknown;
}

/** One delivery with all attempts, their requests and responses. */
export function DeliveryDrawer({ deliveryId, onClose, ...rest }: DeliveryDrawerProps) {
  const { t } = useTranslation("webhooks");
  return (
    <Drawer
      opened={deliveryId !== null}
      onClose={onClose}
      position="right"
      size="xl"
      title={t("delivery.title")}
    >
      {deliveryId !== null && <Content {...rest} deliveryId={deliveryId} />}
    </Drawer>
  );
}

function Content(props: Omit<DeliveryDrawerProps, "deliveryId" | "onClose"> & { deliveryId: string }) {
  const { webhook, deliveryId, replay, sendNow } = props;
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const params = { organization_id: id, endpoint_id: webhook.id, delivery_id: deliveryId };
  const { data: delivery, error } = useQuery({
    ...ask("getWebhookDelivery", { params }),
    refetchInterval: ({ state }) => (state.data?.state === "pending" ? 2_000 : false),
  });
  const attempts = useInfiniteQuery({
    ...askPages("listWebhookAttempts", { params }),
    refetchInterval: () => (delivery?.state === "pending" ? 2_000 : false),
  });
  if (error !== null) return <ProblemAlert error={error} />;
  if (delivery === undefined) return <Skeleton height={240} />;
  const loaded = flat(attempts.data);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={2}>
          <Title order={2}>{t(`types.${delivery.event_type}`)}</Title>
          <Text c="dimmed" className="mono">
            {delivery.event_type}
          </Text>
        </Stack>
        {replay !== undefined && isFinal(delivery.state) && (
          <Button
            variant="default"
            leftSection={<Icon name="refresh" size={15} />}
            onClick={() => replay(delivery)}
          >
            {t("replay.one")}
          </Button>
        )}
        {sendNow !== undefined && isRetrying(delivery) && (
          <Button
            variant="default"
            leftSection={<Icon name="play" size={15} />}
            onClick={() => sendNow(delivery)}
          >
            {t("sendNow.do")}
          </Button>
        )}
      </Group>
      <Facts delivery={delivery} />
      <Stack gap="sm">
        <Title order={3}>{t("delivery.attempts", { count: delivery.attempts })}</Title>
        {attempts.data !== undefined && loaded.length === 0 && (
          <Text c="dimmed">{t("delivery.noAttempt")}</Text>
        )}
        {attempts.hasNextPage && (
          <Button variant="subtle" onClick={() => attempts.fetchNextPage()}>
            {t("delivery.moreAttempts")}
          </Button>
        )}
        {loaded
          .map((attempt, index) => (
            <AttemptBox
              key={attempt.id}
              attempt={attempt}
              number={index + 1}
              url={webhook.url}
              isLast={index === loaded.length - 1}
            />
          ))
          // The server lists the oldest first; the latest is of most interest.
          .reverse()}
      </Stack>
      <EventData delivery={delivery} />
    </Stack>
  );
}

function Facts({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation("webhooks");
  const { slug } = useOrganization();
  const may = useMay();
  const licenseId = delivery.event?.data.license_id;
  return (
    <dl className={classes.facts}>
      <Fact name={t("log.state")}>
        <DeliveryStateMark delivery={delivery} />
      </Fact>
      <Fact name={t("delivery.id")}>
        <Copyable value={delivery.webhook_id} />
      </Fact>
      <Fact name={t("delivery.occurred")}>
        <Time at={delivery.event?.timestamp ?? delivery.created_at} />
      </Fact>
      {delivery.next_attempt_at !== null && (
        <Fact name={t("log.next")}>
          <Time at={delivery.next_attempt_at} />
        </Fact>
      )}
      {typeof licenseId === "string" && may("licenses:view") && (
        <Fact name={t("delivery.license")}>
          <GoLink to={paths.license(slug, licenseId)}>{t("delivery.openLicense")}</GoLink>
        </Fact>
      )}
    </dl>
  );
}

function EventData({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation("webhooks");
  const text = delivery.event === null ? null : JSON.stringify(delivery.event, null, 2);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3}>{t("delivery.payload")}</Title>
        {text !== null && <Copy value={text} />}
      </Group>
      {text === null ? (
        <Text c="dimmed">{t("delivery.eventPruned")}</Text>
      ) : (
        <Code block className={classes.body ?? ""} tabIndex={0}>
          {text}
        </Code>
      )}
    </Stack>
  );
}

interface AttemptBoxProps {
  readonly attempt: Item<"listWebhookAttempts">;
  readonly number: number;
  readonly url: string;
  /** The response of the latest attempt is open, because it usually shows the reason. */
  readonly isLast: boolean;
}

/** One attempt: its time, duration, request and response. */
function AttemptBox({ attempt, number, url, isLast }: AttemptBoxProps) {
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
        <Dimmed className="figures">
          {t("attempt.duration", {
            duration: new Intl.NumberFormat(i18n.language).format(attempt.duration_ms),
          })}
        </Dimmed>
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
