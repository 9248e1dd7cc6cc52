import { Button, Code, Group, List, Paper, Stack, Tabs, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import guide from "../../../../docs/guides/webhooks.md?raw";
import { ApiProblem } from "../../api/problem.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Copy, Copyable } from "../../ui/copy.tsx";
import { DocsLink } from "../../ui/help.tsx";
import { Back } from "../../ui/links.tsx";
import { Notice } from "../../ui/notice.tsx";
import { notify } from "../../ui/notify.tsx";
import { MissingPage, Page, Waiting } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Time } from "../../ui/time.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { type Tab, tabs, webhookRoute } from "./search.ts";
import { SettingsTab } from "./settings-tab.tsx";
import { StatisticsTab } from "./statistics-tab.tsx";
import { TestWebhook } from "./test-webhook.tsx";
import { nameOf, stateOf, type Webhook, WebhookState } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

export function WebhookPage() {
  const { t } = useTranslation("webhooks");
  const { webhook: webhookId } = webhookRoute.useParams();
  const { tab = "deliveries" } = webhookRoute.useSearch();
  const navigate = webhookRoute.useNavigate();
  const organization = useOrganization();
  const may = useMay();
  const { data: webhook, error } = useQuery(
    ask("getWebhook", { params: { organization_id: organization.id, endpoint_id: webhookId } }),
  );
  if (error instanceof ApiProblem && error.status === 404) return <MissingPage />;
  if (error !== null)
    return (
      <Page title={t("list.title")}>
        <ProblemAlert error={error} />
      </Page>
    );
  if (webhook === undefined) return <Waiting />;
  const mayManage = may("webhooks:manage");
  return (
    <Page
      wide
      title={nameOf(webhook)}
      above={<Back to={paths.webhooks(organization.slug)}>{t("list.title")}</Back>}
      actions={mayManage && webhook.status === "enabled" ? <TestWebhook webhook={webhook} /> : undefined}
    >
      <Group gap="md" mb="md" miw={0}>
        <WebhookState webhook={webhook} />
        <Copyable value={webhook.url} />
      </Group>
      <ProblemNote webhook={webhook} mayManage={mayManage} />
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({ search: next === "deliveries" ? {} : { tab: (next ?? undefined) as Tab } })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md" className={classes.tabs ?? ""}>
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tabs.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <DeliveriesTab webhook={webhook} mayManage={mayManage} />
        </Tabs.Panel>
        <Tabs.Panel value="statistics">
          <StatisticsTab webhook={webhook} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <SettingsTab webhook={webhook} mayManage={mayManage} />
        </Tabs.Panel>
        <Tabs.Panel value="verify">
          <HowToVerify webhook={webhook} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** Why deliveries fail and what to do; null if there is no problem. */
function ProblemNote({ webhook, mayManage }: { webhook: Webhook; mayManage: boolean }) {
  const { t, i18n } = useTranslation("webhooks");
  const { id } = useOrganization();
  const state = stateOf(webhook);
  const params = { organization_id: id, endpoint_id: webhook.id };
  const statistics = useQuery({ ...ask("getWebhookStatistics", { params }), enabled: state !== "enabled" });
  const waiting = (statistics.data?.held ?? 0) + (statistics.data?.pending ?? 0);
  const enable = useChange("enableWebhook");
  const question = useConfirm(() => ({
    title: t("enable.title"),
    action: t("enable.do"),
    harmless: true,
    onConfirm: async () => {
      await enable.mutateAsync({ params });
      notify(t("enable.done"));
    },
    // What will be sent immediately.
    children: (
      <Stack gap="xs">
        <Text>{waiting > 0 ? t("enable.words", { count: waiting }) : t("enable.nothingWaiting")}</Text>
        {webhook.disabled_reason === "by_hand" && <Text c="dimmed">{t("enable.notStored")}</Text>}
      </Stack>
    ),
  }));
  if (state === "enabled") return null;
  const since = webhook.status === "enabled" ? webhook.failing_since : webhook.disabled_at;
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
            <Button size="compact-sm" onClick={question.ask}>
              {t("enable.do")}
            </Button>
          </Group>
        )}
      </Stack>
      {question.dialog}
    </Notice>
  );
}

function shortTime(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
}

/** Enough to verify the first event; the reference has the rest. */
function HowToVerify({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  if (webhook.format !== "standard")
    return (
      <Paper withBorder p="lg" radius="lg">
        <Text maw={640}>{t(`verify.${webhook.format}`)}</Text>
      </Paper>
    );
  return (
    <Stack gap="lg">
      <Stack gap="xs" maw={720}>
        <Title order={2}>{t("verify.title")}</Title>
        <Text>{t("verify.words")}</Text>
        <List spacing={6}>
          {["raw", "respond", "twice", "order"].map((point) => (
            <List.Item key={point}>{t(`verify.points.${point}`)}</List.Item>
          ))}
        </List>
        <Text>
          {t("verify.reference")} <DocsLink section="api">{t("verify.link")}</DocsLink>.
        </Text>
      </Stack>
      <Tabs defaultValue={snippets[0].language} variant="outline">
        <Tabs.List>
          {snippets.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ language, code }) => (
          <Tabs.Panel key={language} value={language}>
            <Group justify="flex-end" my={6}>
              <Copy value={code} label={t("verify.copy")} />
            </Group>
            <Code block tabIndex={0}>
              {code}
            </Code>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

/** The programs in the guide, which the tests run against the server. */
const snippets = [
  { language: "Node.js", code: programIn("js") },
  { language: "Python", code: programIn("python") },
  { language: "Java", code: programIn("java") },
] as const;

function programIn(fence: string): string {
  return new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\``, "m").exec(guide)?.[1]?.trimEnd() ?? "";
}
