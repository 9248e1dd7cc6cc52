import { Alert, Badge, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, askPages } from "../../api/queries.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { FilterSelect, SearchField } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";

const outboxRoute = getRouteApi("/signed-in/admin/admin-layout/outbox");

type Mail = Item<"listOutbox">;

/** The outbox, newest first. Without a mail server, emails can be read here. */
export function OutboxPage() {
  const { t } = useTranslation("admin");
  const search = outboxRoute.useSearch();
  const navigate = outboxRoute.useNavigate();
  const kinds = useQuery(ask("listEmailTemplates"));
  const sendsEmail = useSendsEmail();
  const { kind, recipient } = search;
  const list = useInfiniteQuery(askPages("listOutbox", { query: { kind, recipient } }));
  // An incomplete email address is not an error while the user is typing.
  const isHalfTyped = list.error instanceof ApiProblem && list.error.of("recipient") !== null;
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  return (
    <Page wide title={t("outbox.title")} lead={t("outbox.lead")}>
      <Stack gap="sm">
        {!sendsEmail && (
          <Notice tone="warn" title={t("everywhere:noEmail.title")}>
            <Text size="sm">{t("outbox.noEmail")}</Text>
          </Notice>
        )}
        <Group gap="xs">
          <SearchField
            label={t("outbox.search")}
            value={recipient}
            onChange={(term) => set({ recipient: term })}
          />
          <FilterSelect<string>
            w={260}
            label={t("outbox.kind")}
            any={t("outbox.anyKind")}
            searchable
            values={kinds.data?.kinds ?? []}
            words={(value) => t(`kinds.${value}`)}
            value={kind}
            onChange={(value) => set({ kind: value })}
          />
        </Group>
        {isHalfTyped ? (
          <Alert icon={<Icon name="info" />}>{t("outbox.wholeEmail")}</Alert>
        ) : (
          <List
            label={t("outbox.title")}
            list={list}
            columns={[
              {
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
                header: t("outbox.kind"),
                wide: true,
                cell: (mail) => t(`kinds.${mail.kind}`, { defaultValue: mail.kind }),
              },
              { header: t("outbox.state"), cell: (mail) => <EmailState mail={mail} /> },
              { header: t("outbox.created"), wide: true, at: (mail) => mail.created_at },
            ]}
            empty={{ icon: "mail", title: t("outbox.empty"), words: t("outbox.emptyWords") }}
          />
        )}
      </Stack>
    </Page>
  );
}

export function EmailState({ mail }: { mail: Mail }) {
  const { t } = useTranslation("admin");
  const { failureText } = useProblemTexts();
  const sendsEmail = useSendsEmail();
  if (mail.sent_at !== null) return <Badge>{t("outbox.sent")}</Badge>;
  if (mail.failure !== null)
    return (
      <Tooltip label={failureText(mail.failure)} multiline maw={360}>
        <Badge color="red" tabIndex={0}>
          {t("outbox.failed")}
        </Badge>
      </Tooltip>
    );
  return <Badge color="orange">{t(sendsEmail ? "outbox.waiting" : "outbox.notSent")}</Badge>;
}
