import { Alert, Badge, Group, SegmentedControl, Select, Stack, Text, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type Item, urlOf } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, askPages } from "../../api/queries.ts";
import { type Language, languages } from "../../i18n/languages.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Copyable } from "../../ui/copy.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { FilterSelect, SearchField } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./admin.module.css";

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

function EmailState({ mail }: { mail: Mail }) {
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

const emailRoute = getRouteApi("/signed-in/admin/admin-layout/outbox/$id");

export function EmailPage() {
  const { t } = useTranslation("admin");
  const { failureText } = useProblemTexts();
  const { id } = emailRoute.useParams();
  const { as } = emailRoute.useSearch();
  const navigate = emailRoute.useNavigate();
  const params = { email_id: id };
  const { data: mail } = useSuspenseQuery(ask("getOutboxEmail", { params }));
  const links = [...new Set(mail.body_text?.match(/https?:\/\/[^\s<>"]+/g) ?? [])];
  const isText = as === "text" || mail.body_html === null;
  return (
    <Page
      title={mail.subject}
      above={<Back to={paths.outbox()}>{t("outbox.title")}</Back>}
      beside={<EmailState mail={mail} />}
      lead={
        <>
          {t("outbox.to", { recipient: mail.recipient })} · <Time at={mail.created_at} />
        </>
      }
    >
      <Stack>
        {mail.failure !== null && (
          <Alert color="red" icon={<Icon name="warning" />} title={t("outbox.failed")}>
            {failureText(mail.failure)}
          </Alert>
        )}
        {mail.body_text === null && mail.body_html === null ? (
          <Alert icon={<Icon name="lock" />}>{t("outbox.notShown")}</Alert>
        ) : (
          <>
            {links.length > 0 && (
              <Stack gap={4}>
                <Dimmed>{t("outbox.links")}</Dimmed>
                {links.map((link) => (
                  <Copyable key={link} value={link} />
                ))}
              </Stack>
            )}
            <FormatChoice
              isText={isText}
              hasHtml={mail.body_html !== null}
              onChange={(as) => void navigate({ search: { as }, replace: true })}
            />
            {isText ? (
              <pre className={classes.plain}>{mail.body_text}</pre>
            ) : (
              <EmailFrame src={urlOf("getOutboxEmailHtml", { params })} title={mail.subject} />
            )}
          </>
        )}
      </Stack>
    </Page>
  );
}

const templatesRoute = getRouteApi("/signed-in/admin/admin-layout/email-templates");

/** Every kind of email with example values, in each language. */
export function TemplatesPage() {
  const { t, i18n } = useTranslation("admin");
  const search = templatesRoute.useSearch();
  const navigate = templatesRoute.useNavigate();
  const { kinds } = useSuspenseQuery(ask("listEmailTemplates")).data;
  const kind = kinds.find((one) => one === search.kind) ?? kinds[0] ?? "";
  const language: Language = search.language ?? (i18n.language as Language);
  const format = search.as ?? "html";
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  return (
    <Page title={t("emailTemplates.title")} lead={t("emailTemplates.lead")}>
      <div className={classes.split}>
        <nav aria-label={t("outbox.kind")}>
          <ul className={classes.kinds}>
            {kinds.map((one) => (
              <li key={one}>
                <Link
                  className={classes.kind ?? ""}
                  {...paths.emailTemplates({ ...search, kind: one })}
                  aria-current={one === kind ? "page" : undefined}
                  activeProps={{}}
                  replace
                >
                  {t(`kinds.${one}`)}
                </Link>
              </li>
            ))}
          </ul>
          <Select
            className={classes.onlyNarrow ?? ""}
            label={t("outbox.kind")}
            data={kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
            value={kind}
            onChange={(value) => set({ kind: value ?? undefined })}
            allowDeselect={false}
          />
        </nav>
        <Stack gap="sm" miw={0}>
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label={t("emailTemplates.language")}
              value={language}
              onChange={(value) => set({ language: value as Language })}
              data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
            />
            <FormatChoice isText={format === "text"} hasHtml onChange={(as) => set({ as })} />
          </Group>
          <EmailFrame
            src={urlOf("getEmailTemplate", { params: { kind }, query: { language, format } })}
            title={`${t(`kinds.${kind}`)}, ${languages[language]}`}
          />
        </Stack>
      </div>
    </Page>
  );
}

interface FormatChoiceProps {
  readonly isText: boolean;
  readonly hasHtml: boolean;
  readonly onChange: (format: "text" | undefined) => void;
}

function FormatChoice({ isText, hasHtml, onChange }: FormatChoiceProps) {
  const { t } = useTranslation("admin");
  return (
    <SegmentedControl
      size="xs"
      w="fit-content"
      aria-label={t("emailTemplates.format")}
      value={isText ? "text" : "html"}
      onChange={(value) => onChange(value === "text" ? "text" : undefined)}
      data={[
        { value: "html", label: t("emailTemplates.html"), disabled: !hasHtml },
        { value: "text", label: t("emailTemplates.text") },
      ]}
    />
  );
}

/** An email contains untrusted text, so its frame can run no script, load nothing and submit nothing. */
function EmailFrame({ src, title }: { src: string; title: string }) {
  return <iframe className={classes.email} sandbox="" referrerPolicy="no-referrer" src={src} title={title} />;
}
