import { Button, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { Time } from "../../ui/time.tsx";
import { changesOf, draftOf } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";
import { nameOf, type Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

export function SettingsTab({ webhook, mayManage }: { webhook: Webhook; mayManage: boolean }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [isDisabling, setDisabling] = useState(false);
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
          error={update.error}
          isBusy={update.isPending}
          onSubmit={(draft) =>
            update.mutate(
              {
                params: { organization_id: id, endpoint_id: webhook.id },
                body: changesOf(draft, basis, webhook),
              },
              {
                onSuccess: (saved) => {
                  setBasis(saved);
                  notify(t("settings.saved"));
                },
              },
            )
          }
        />
      </Paper>
      <Paper withBorder p="lg" radius="lg">
        <RotateSecret webhook={webhook} />
        {webhook.status === "enabled" && (
          <Stack gap="xs" align="flex-start" className={classes.section ?? ""}>
            <Title order={2}>{t("disable.heading")}</Title>
            <Text c="dimmed">{t("disable.words")}</Text>
            <Button variant="default" onClick={() => setDisabling(true)}>
              {t("disable.do")}
            </Button>
            <DisableWebhook webhook={webhook} opened={isDisabling} onClose={() => setDisabling(false)} />
          </Stack>
        )}
        <DeleteWebhook webhook={webhook} />
      </Paper>
    </div>
  );
}

interface SwitchProps {
  readonly webhook: Webhook;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Shows what will be sent immediately. */
export function EnableWebhook({ webhook, waiting, opened, onClose }: SwitchProps & { waiting: number }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const enable = useChange("enableWebhook");
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("enable.title")}
      action={t("enable.do")}
      harmless
      onConfirm={async () => {
        await enable.mutateAsync({ params: { organization_id: id, endpoint_id: webhook.id } });
        notify(t("enable.done"));
      }}
    >
      <Stack gap="xs">
        <Text>{waiting > 0 ? t("enable.words", { count: waiting }) : t("enable.nothingWaiting")}</Text>
        {webhook.disabled_reason === "by_hand" && <Text c="dimmed">{t("enable.notStored")}</Text>}
      </Stack>
    </Confirm>
  );
}

function DisableWebhook({ webhook, opened, onClose }: SwitchProps) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const disable = useChange("disableWebhook");
  const enable = useChange("enableWebhook");
  const params = { organization_id: id, endpoint_id: webhook.id };
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("disable.title")}
      action={t("disable.do")}
      onConfirm={async () => {
        await disable.mutateAsync({ params });
        notify(t("disable.done"), () => enable.mutateAsync({ params }));
      }}
    >
      {t("disable.words")}
    </Confirm>
  );
}

const overlaps = ["0", "3600", "86400", "259200", "604800"] as const;

/** Creates a new secret; the old one keeps signing for a chosen time. */
function RotateSecret({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [isAsking, setAsking] = useState(false);
  const [overlap, setOverlap] = useState<string>("86400");
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useChange("rotateWebhookSecret");
  const hasNoOverlap = overlap === "0";
  return (
    <Stack gap="xs" align="flex-start" className={classes.section ?? ""}>
      <Title order={2}>{t("rotate.heading")}</Title>
      <Text c="dimmed">{t("rotate.words")}</Text>
      {webhook.old_secret_until !== null && (
        <Text>
          {t("rotate.oldSecretUntil")} <Time at={webhook.old_secret_until} />.
        </Text>
      )}
      <Button variant="default" onClick={() => setAsking(true)}>
        {t("rotate.do")}
      </Button>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t("rotate.title")}
        action={t("rotate.do")}
        harmless={!hasNoOverlap}
        onConfirm={async () => {
          const { secret: created } = await rotate.mutateAsync({
            params: { organization_id: id, endpoint_id: webhook.id },
            body: { overlap_seconds: Number(overlap) },
          });
          setSecret(created);
        }}
      >
        <Stack>
          <Select
            label={t("rotate.overlap")}
            data={overlaps.map((value) => ({ value, label: t(`rotate.overlaps.${value}`) }))}
            value={overlap}
            onChange={(value) => setOverlap(value ?? "86400")}
            allowDeselect={false}
            data-autofocus
          />
          <Text>{hasNoOverlap ? t("rotate.withoutOverlap") : t("rotate.withOverlap")}</Text>
        </Stack>
      </Confirm>
      <SecretOnce title={t("secret.title")} secret={secret} onDone={() => setSecret(null)}>
        {t("secret.words")}
      </SecretOnce>
    </Stack>
  );
}

function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const organization = useOrganization();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange("deleteWebhook");
  return (
    <Stack gap="xs" align="flex-start" className={classes.section ?? ""}>
      <Title order={2}>{t("delete.heading")}</Title>
      <Text c="dimmed">{t("delete.words")}</Text>
      <Button variant="default" className={classes.destroy ?? ""} onClick={() => setAsking(true)}>
        {t("delete.do")}
      </Button>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t("delete.title")}
        action={t("delete.do")}
        typed={nameOf(webhook)}
        onConfirm={async () => {
          await remove.mutateAsync({
            params: { organization_id: organization.id, endpoint_id: webhook.id },
          });
          notify(t("delete.done"));
          await navigate(paths.webhooks(organization.slug));
        }}
      >
        {t("delete.words")}
      </Confirm>
    </Stack>
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
          <div key={name} className={classes.fact}>
            <dt>{name}</dt>
            <dd>{value === "" ? t("everywhere:none") : value}</dd>
          </div>
        ))}
      </dl>
    </Paper>
  );
}
