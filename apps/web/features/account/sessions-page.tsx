import { browserName, parseUserAgent } from "@countersign/domain/user-agent/parse";
import { Badge, Button, Center, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, flat, useChange } from "../../api/queries.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import { ListTime } from "../../ui/time.tsx";
import classes from "./account.module.css";

type Session = Item<"listMySessions">;

/** The user's sessions, this browser first. */
export function SessionsPage() {
  const { t } = useTranslation("account");
  const list = useInfiniteQuery(askPages("listMySessions"));
  const end = useChange("endMySession");
  const endOthers = useChange("endMyOtherSessions");
  const endingOthers = useConfirm(() => ({
    title: t("sessions.othersTitle"),
    children: t("sessions.othersWords"),
    action: t("sessions.endOthers"),
    onConfirm: async () => {
      await endOthers.mutateAsync({});
      notify(t("sessions.othersEnded"));
    },
  }));
  const sessions = flat(list.data).toSorted((a, b) => Number(b.is_current) - Number(a.is_current));
  const others = sessions.filter((session) => !session.is_current);
  const endOne = (session: Session) =>
    end.mutate(
      { params: { session_id: session.id } },
      { onSuccess: () => notify(t("sessions.ended")), onError: notifyProblem },
    );
  return (
    <Page narrow title={t("sessions.title")} lead={t("sessions.lead")}>
      <Panel
        title={t("sessions.active")}
        actions={
          others.length > 0 && (
            <Button variant="light" color="red" onClick={() => endingOthers.ask()}>
              {t("sessions.endOthers")}
            </Button>
          )
        }
      >
        <ProblemAlert error={list.error} />
        {list.isPending && (
          <Stack aria-hidden="true">
            <Skeleton height={38} />
            <Skeleton height={38} />
          </Stack>
        )}
        <div>
          {sessions.map((session) => (
            <SessionLine
              key={session.id}
              session={session}
              isBusy={end.isPending && end.variables?.params?.session_id === session.id}
              end={() => endOne(session)}
            />
          ))}
        </div>
        {list.hasNextPage && (
          <Center>
            <Button variant="subtle" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
              {t("everywhere:more")}
            </Button>
          </Center>
        )}
      </Panel>
      {endingOthers.dialog}
    </Page>
  );
}

function SessionLine({ session, isBusy, end }: { session: Session; isBusy: boolean; end: () => void }) {
  const { t } = useTranslation("account");
  const userAgent = session.user_agent ?? "";
  const { isPhone } = parseUserAgent(userAgent);
  const name = browserName(userAgent) || t("sessions.unknown");
  return (
    <div className={classes.line}>
      <Icon name={isPhone ? "phone" : "screen"} />
      <div className={classes.words}>
        <Group gap="xs">
          <Text fw={600} title={session.user_agent ?? undefined}>
            {name}
          </Text>
          {session.is_current && <Badge>{t("sessions.this")}</Badge>}
        </Group>
        <Dimmed>
          <span className="mono">{session.ip ?? t("sessions.noIp")}</span> · {t("sessions.used")}{" "}
          <ListTime at={session.last_used_at} /> · {t("sessions.since")} <ListTime at={session.created_at} />
        </Dimmed>
      </div>
      {!session.is_current && (
        <Button
          size="compact-sm"
          variant="default"
          loading={isBusy}
          onClick={end}
          aria-label={t("sessions.endOne", { name })}
        >
          {t("sessions.end")}
        </Button>
      )}
    </div>
  );
}
