import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { exactTime } from "../../ui/time.tsx";

/** A deletion can be undone for fourteen days. */
export function DeletionPanel() {
  const { t, i18n } = useTranslation("organizations");
  const organization = useOrganization();
  const params = { organization_id: organization.id };
  const remove = useChange("deleteOrganization");
  const restore = useChange("restoreOrganization");
  const [isOpen, setOpen] = useState(false);
  const takeBack = () =>
    restore.mutate(
      { params },
      {
        onSuccess: () => notify(t("deletion.restored", { name: organization.name })),
        onError: notifyProblem,
      },
    );
  if (organization.delete_after !== null)
    return (
      <Panel
        danger
        title={t("deletion.pending")}
        lead={t("deletion.pendingWords", { time: exactTime(organization.delete_after, i18n.language) })}
        actions={
          <Button onClick={takeBack} loading={restore.isPending}>
            {t("deletion.restore")}
          </Button>
        }
      />
    );
  return (
    <Panel
      danger
      title={t("deletion.title")}
      lead={t("deletion.lead")}
      actions={
        <Button color="red" variant="light" onClick={() => setOpen(true)}>
          {t("deletion.open")}
        </Button>
      }
    >
      <Confirm
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t("deletion.confirm", { name: organization.name })}
        action={t("deletion.open")}
        typed={organization.name}
        onConfirm={async () => {
          await remove.mutateAsync({ params, body: { confirm: organization.slug } });
          notify(t("deletion.asked"), () => restore.mutateAsync({ params }));
        }}
      >
        <Stack gap="xs">
          <Text>{t("deletion.words")}</Text>
          <Text c="dimmed">{t("deletion.back")}</Text>
        </Stack>
      </Confirm>
    </Panel>
  );
}
