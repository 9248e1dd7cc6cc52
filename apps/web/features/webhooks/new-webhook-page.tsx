import { Paper } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Back } from "../../ui/back.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { creationOf, emptyDraft, type WebhookDraft } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";

export function NewWebhookPage() {
  const { t } = useTranslation("webhooks");
  const organization = useOrganization();
  const navigate = useNavigate();
  const create = useChange("createWebhook");
  const [made, setMade] = useState<Answer<"createWebhook"> | null>(null);
  const open = (id: string) => navigate(paths.webhook(organization.slug, id));
  const submit = async (draft: WebhookDraft) => {
    const webhook = await create
      .mutateAsync({ params: { organization_id: organization.id }, body: creationOf(draft) })
      .catch(() => null);
    if (webhook === null) return;
    // Discord and Slack do not verify signatures, so there is no secret to save.
    if (webhook.format === "standard") return setMade(webhook);
    notify(t("new.done"));
    await open(webhook.id);
  };
  return (
    <Page
      narrow
      title={t("new.title")}
      above={<Back to={paths.webhooks(organization.slug)}>{t("list.title")}</Back>}
    >
      <Paper withBorder p="lg" radius="lg">
        <WebhookForm
          start={emptyDraft}
          action={t("new.do")}
          error={create.error}
          isBusy={create.isPending}
          onSubmit={submit}
          autoFocus
        >
          <GoButton variant="default" to={paths.webhooks(organization.slug)}>
            {t("everywhere:cancel")}
          </GoButton>
        </WebhookForm>
      </Paper>
      <SecretOnce
        title={t("secret.title")}
        secret={made?.secret ?? null}
        onDone={() => made !== null && void open(made.id)}
      >
        {t("secret.words")}
      </SecretOnce>
    </Page>
  );
}
