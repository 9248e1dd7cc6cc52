import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { Fact } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { Time } from "../../ui/time.tsx";
import { changesOf, draftOf } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";
import { nameOf, type Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

/** The settings of an endpoint, and what can be done to it as a whole. */
export function SettingsTab({ webhook, mayManage }: { webhook: Webhook; mayManage: boolean }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  // The webhook when the form was opened or saved.
  const [basis, setBasis] = useState(webhook);
  const update = useChange("updateWebhook");
  if (!mayManage) return <WebhookFacts webhook={webhook} />;
  return (
    <div className={classes.columns}>
      <Paper withBorder p="lg" radius="lg">
        <WebhookForm
          // A save remounts the form with the saved webhook, which hides header values again.
          key={basis.updated_at}
          start={draftOf(basis)}
          action={t("everywhere:save")}
          send={async (draft) => {
            const saved = await update.mutateAsync({
              params: { organization_id: id, endpoint_id: webhook.id },
              body: changesOf(draft, basis, webhook),
            });
            setBasis(saved);
            notify(t("settings.saved"));
          }}
        />
      </Paper>
      <Paper withBorder p="lg" radius="lg">
        <RotateSecret webhook={webhook} />
        {webhook.status === "enabled" && <DisableWebhook webhook={webhook} />}
        <DeleteWebhook webhook={webhook} />
      </Paper>
    </div>
  );
}

interface WebhookActionProps {
  readonly name: "rotate" | "disable" | "delete";
  readonly onClick: () => void;
  readonly note?: ReactNode;
  /** Its dialogs. */
  readonly children: ReactNode;
}

/** Something that can be done to the endpoint as a whole. */
function WebhookAction({ name, onClick, note, children }: WebhookActionProps) {
  const { t } = useTranslation("webhooks");
  return (
    <Stack gap="xs" align="flex-start" className={classes.section ?? ""}>
      <Title order={2}>{t(`${name}.heading`)}</Title>
      <Text c="dimmed">{t(`${name}.words`)}</Text>
      {note}
      <Button variant="default" onClick={onClick}>
        {t(`${name}.do`)}
      </Button>
      {children}
    </Stack>
  );
}

const overlaps = ["0", "3600", "86400", "259200", "604800"] as const;

/** Creates a new secret; the old one keeps signing for a chosen time. */
function RotateSecret({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>("86400");
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useChange("rotateWebhookSecret");
  const hasNoOverlap = overlap === "0";
  const question = useConfirm(() => ({
    title: t("rotate.title"),
    action: t("rotate.do"),
    harmless: !hasNoOverlap,
    onConfirm: async () => {
      const { secret: created } = await rotate.mutateAsync({
        params: { organization_id: id, endpoint_id: webhook.id },
        body: { overlap_seconds: Number(overlap) },
      });
      setSecret(created);
    },
    children: (
      <Stack>
        <SelectField
          label={t("rotate.overlap")}
          values={overlaps}
          words={(value) => t(`rotate.overlaps.${value}`)}
          value={overlap}
          onChange={setOverlap}
          data-autofocus
        />
        <Text>{hasNoOverlap ? t("rotate.withoutOverlap") : t("rotate.withOverlap")}</Text>
      </Stack>
    ),
  }));
  return (
    <WebhookAction
      name="rotate"
      onClick={question.ask}
      note={
        webhook.old_secret_until !== null && (
          <Text>
            {t("rotate.oldSecretUntil")} <Time at={webhook.old_secret_until} />.
          </Text>
        )
      }
    >
      {question.dialog}
      <SecretOnce title={t("secret.title")} secret={secret} onDone={() => setSecret(null)}>
        {t("secret.words")}
      </SecretOnce>
    </WebhookAction>
  );
}

function DisableWebhook({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const disable = useChange("disableWebhook");
  const enable = useChange("enableWebhook");
  const params = { organization_id: id, endpoint_id: webhook.id };
  const question = useConfirm(() => ({
    title: t("disable.title"),
    children: t("disable.words"),
    action: t("disable.do"),
    onConfirm: async () => {
      await disable.mutateAsync({ params });
      notify(t("disable.done"), () => enable.mutateAsync({ params }));
    },
  }));
  return (
    <WebhookAction name="disable" onClick={question.ask}>
      {question.dialog}
    </WebhookAction>
  );
}

function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const { id, slug } = useOrganization();
  const navigate = useNavigate();
  const remove = useChange("deleteWebhook");
  const question = useConfirm(() => ({
    title: t("delete.title"),
    children: t("delete.words"),
    action: t("delete.do"),
    typed: nameOf(webhook),
    onConfirm: async () => {
      await remove.mutateAsync({ params: { organization_id: id, endpoint_id: webhook.id } });
      notify(t("delete.done"));
      await navigate(paths.webhooks(slug));
    },
  }));
  return (
    <WebhookAction name="delete" onClick={question.ask}>
      {question.dialog}
    </WebhookAction>
  );
}

/** For users who can view but not edit. */
function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const facts = [
    [t("form.url"), webhook.url],
    [t("form.description"), webhook.description],
    [t("form.format"), t(`formats.${webhook.format}.name`)],
    [
      t("form.events"),
      webhook.event_types === null
        ? t("form.allEvents")
        : webhook.event_types.map((type) => t(`types.${type}`)).join(", "),
    ],
    [
      t("form.products"),
      webhook.product_ids === null
        ? t("form.allProducts")
        : t("settings.products", { count: webhook.product_ids.length }),
    ],
    [t("form.headers"), webhook.header_names.join(", ")],
    [t("form.autoReenable"), webhook.auto_reenable ? t("everywhere:yes") : t("everywhere:no")],
  ] as const;
  return (
    <Paper withBorder p="lg" radius="lg">
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <Fact name={name}>{value === "" ? t("everywhere:none") : value}</Fact>
          </div>
        ))}
      </dl>
    </Paper>
  );
}
