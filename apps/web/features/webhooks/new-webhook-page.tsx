import { Paper } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Back, GoButton } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { creationOf, emptyDraft } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";

export function NewWebhookPage() {
  const { t } = useTranslation("webhooks");
  const { id, slug } = useOrganization();
  const navigate = useNavigate();
  const create = useChange("createWebhook");
  const [created, setCreated] = useState<Answer<"createWebhook"> | null>(null);
  const open = (webhookId: string) => navigate(paths.webhook(slug, webhookId));
  return (
    <Page narrow title={t("new.title")} above={<Back to={paths.webhooks(slug)}>{t("list.title")}</Back>}>
      <Paper withBorder p="lg" radius="lg">
        <WebhookForm
          start={emptyDraft}
          action={t("new.do")}
          autoFocus
          send={async (draft) => {
            const webhook = await create.mutateAsync({
              params: { organization_id: id },
              body: creationOf(draft),
            });
            // Discord and Slack do not verify signatures, so there is no secret to save.
            if (webhook.format === "standard") return setCreated(webhook);
            notify(t("new.done"));
            await open(webhook.id);
          }}
        >
          <GoButton variant="default" to={paths.webhooks(slug)}>
            {t("everywhere:cancel")}
          </GoButton>
        </WebhookForm>
      </Paper>
      <SecretOnce
        title={t("secret.title")}
        secret={created?.secret ?? null}
        onDone={() => created !== null && void open(created.id)}
      >
        {t("secret.words")}
      </SecretOnce>
    </Page>
  );
}
