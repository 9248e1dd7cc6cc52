import { Button, Select, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { Time } from "../../ui/time.tsx";
import type { Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

const overlaps = ["0", "3600", "86400", "259200", "604800"] as const;

/** Creates a new secret; the old one keeps signing for a chosen time. */
export function RotateSecret({ webhook }: { webhook: Webhook }) {
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
