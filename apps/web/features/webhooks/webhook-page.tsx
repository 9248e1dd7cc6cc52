import { Group, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Back } from "../../ui/back.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { MissingPage } from "../../ui/missing-page.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Waiting } from "../../ui/waiting.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { HowToVerify } from "./how-to-verify.tsx";
import { ProblemNote } from "./problem-note.tsx";
import { type Tab, tabs } from "./search.ts";
import { SettingsTab } from "./settings-tab.tsx";
import { StatisticsTab } from "./statistics-tab.tsx";
import { TestWebhook } from "./test-webhook.tsx";
import { webhookRoute } from "./webhook-route.ts";
import { nameOf, WebhookState } from "./webhook-state.tsx";
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
