import { Alert, Badge, Select, Stack, Text, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, askPages, flat } from "../../api/queries.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SearchedList } from "./searched-list.tsx";

const outboxRoute = getRouteApi("/signed-in/admin/admin-layout/outbox");

type Mail = Item<"listOutbox">;

/** The outbox, newest first. Without a mail server, emails can be read here. */
export function OutboxPage() {
  const { t } = useTranslation("admin");
  const search = outboxRoute.useSearch();
  const navigate = outboxRoute.useNavigate();
  const kinds = useQuery(ask("listEmailTemplates"));
  const sendsEmail = useSendsEmail();
  const list = useInfiniteQuery(
    askPages("listOutbox", {
      query: {
        ...(search.kind === undefined ? {} : { kind: search.kind }),
        ...(search.recipient === undefined ? {} : { recipient: search.recipient }),
      },
    }),
  );
  const rows = flat(list.data);
  // An incomplete email address is not an error while the user is typing.
  const isHalfTyped = list.error instanceof ApiProblem && list.error.of("recipient") !== null;
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  const columns: Column<Mail>[] = [
    {
      id: "subject",
      header: t("outbox.subject"),
      cell: (mail) => (
        <Stack gap={0} miw={0}>
          <GoLink to={paths.email(mail.id)} size="sm" fw={600}>
            {mail.subject}
          </GoLink>
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {t("outbox.to", { recipient: mail.recipient })}
          </Text>
        </Stack>
      ),
    },
    {
      id: "kind",
      header: t("outbox.kind"),
      wide: true,
      cell: (mail) => t(`kinds.${mail.kind}`, { defaultValue: mail.kind }),
    },
    { id: "state", header: t("outbox.state"), cell: (mail) => <EmailState mail={mail} /> },
    { id: "at", header: t("outbox.created"), wide: true, cell: (mail) => <ListTime at={mail.created_at} /> },
  ];
  return (
    <SearchedList
      title={t("outbox.title")}
      lead={t("outbox.lead")}
      notice={
        !sendsEmail && (
          <Notice tone="warn" title={t("everywhere:noEmail.title")}>
            <Text size="sm">{t("outbox.noEmail")}</Text>
          </Notice>
        )
      }
      search={{
        label: t("outbox.search"),
        value: search.recipient,
        onChange: (recipient) => set({ recipient }),
      }}
      filters={
        <Select
          w={260}
          aria-label={t("outbox.kind")}
          placeholder={t("outbox.anyKind")}
          clearable
          searchable
          data={(kinds.data?.kinds ?? []).map((value) => ({ value, label: t(`kinds.${value}`) }))}
          value={search.kind ?? null}
          onChange={(value) => set({ kind: value ?? undefined })}
        />
      }
      columns={columns}
      list={list}
      rows={rows}
      empty={
        <Empty icon="mail" title={t("outbox.empty")}>
          {t("outbox.emptyWords")}
        </Empty>
      }
      instead={isHalfTyped ? <Alert icon={<Icon name="info" />}>{t("outbox.wholeEmail")}</Alert> : null}
    />
  );
}

export function EmailState({ mail }: { mail: Mail }) {
  const { t } = useTranslation("admin");
  const { failureText } = useProblemTexts();
  const sendsEmail = useSendsEmail();
  if (mail.sent_at !== null)
    return (
      <Badge size="sm" variant="light">
        {t("outbox.sent")}
      </Badge>
    );
  if (mail.failure !== null)
    return (
      <Tooltip label={failureText(mail.failure)} multiline maw={360}>
        <Badge size="sm" variant="light" color="red" tabIndex={0}>
          {t("outbox.failed")}
        </Badge>
      </Tooltip>
    );
  return (
    <Badge size="sm" variant="light" color="orange">
      {t(sendsEmail ? "outbox.waiting" : "outbox.notSent")}
    </Badge>
  );
}
