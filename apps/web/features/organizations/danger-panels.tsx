import { Button, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { GoLink } from "../../ui/links.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { exactTime } from "../../ui/time.tsx";

/** Transfers ownership to a member. */
export function TransferPanel() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const params = { organization_id: organization.id };
  const members = useQuery(ask("listMembers", { params, query: { limit: 200 } }));
  const roles = useQuery(ask("listRoles", { params, query: { limit: 200 } }));
  const transfer = useChange("transferOwnership");
  const [newOwner, setNewOwner] = useState<string | null>(null);
  const [role, setRole] = useState<string | null>(null);
  const others = (members.data?.data ?? []).filter((member) => !member.is_owner);
  const choices = roles.data?.data ?? [];
  const isPossible = others.length > 0 && choices.length > 0;
  const newOwnerName = others.find(({ user_id }) => user_id === newOwner)?.name;
  const question = useConfirm(() => ({
    title: t("transfer.title"),
    children: (
      <Stack>
        <Text>{t("transfer.words")}</Text>
        <Select
          data-autofocus
          label={t("transfer.newOwner")}
          required
          searchable
          data={others.map(({ user_id, name, email }) => ({ value: user_id, label: `${name} (${email})` }))}
          value={newOwner}
          onChange={setNewOwner}
        />
        <Select
          label={t("transfer.role")}
          description={t("transfer.roleWords")}
          required
          data={choices.map(({ id, name }) => ({ value: id, label: name }))}
          value={role}
          onChange={setRole}
        />
      </Stack>
    ),
    action: t("transfer.open"),
    typed: organization.name,
    isIdle: newOwner === null || role === null,
    onConfirm: async () => {
      await transfer.mutateAsync({ params, body: { user_id: newOwner ?? "", role_id: role ?? "" } });
      notify(t("transfer.done", { name: newOwnerName, organization: organization.name }));
    },
  }));
  return (
    <Panel
      title={t("transfer.title")}
      lead={t("transfer.lead")}
      actions={
        isPossible && (
          <Button variant="default" onClick={() => question.ask()}>
            {t("transfer.open")}
          </Button>
        )
      }
    >
      {members.isSuccess && roles.isSuccess && !isPossible && (
        <Text size="sm">
          {t("transfer.noOneElse")}{" "}
          <GoLink underline="always" to={paths.members(organization.slug, { invite: true })} inherit>
            {t("transfer.invite")}
          </GoLink>
        </Text>
      )}
      {question.dialog}
    </Panel>
  );
}

/** A deletion can be undone for fourteen days. */
export function DeletionPanel() {
  const { t, i18n } = useTranslation("organizations");
  const organization = useOrganization();
  const params = { organization_id: organization.id };
  const remove = useChange("deleteOrganization");
  const restore = useChange("restoreOrganization");
  const deletion = useConfirm(() => ({
    title: t("deletion.confirm", { name: organization.name }),
    children: (
      <Stack gap="xs">
        <Text>{t("deletion.words")}</Text>
        <Text c="dimmed">{t("deletion.back")}</Text>
      </Stack>
    ),
    action: t("deletion.open"),
    typed: organization.name,
    onConfirm: async () => {
      await remove.mutateAsync({ params, body: { confirm: organization.slug } });
      notify(t("deletion.asked"), () => restore.mutateAsync({ params }));
    },
  }));
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
        <Button color="red" variant="light" onClick={() => deletion.ask()}>
          {t("deletion.open")}
        </Button>
      }
    >
      {deletion.dialog}
    </Panel>
  );
}
