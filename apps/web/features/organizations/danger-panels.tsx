import { Button, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { exactTime } from "../../ui/time.tsx";

/** Transfers ownership to a member. */
export function TransferPanel() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const params = { organization_id: organization.id };
  const members = useQuery(ask("listMembers", { params, query: { limit: 200 } }));
  const roles = useQuery(ask("listRoles", { params, query: { limit: 200 } }));
  const transfer = useChange("transferOwnership");
  const [isOpen, setOpen] = useState(false);
  const [heir, setHeir] = useState<string | null>(null);
  const [role, setRole] = useState<string | null>(null);
  const others = (members.data?.data ?? []).filter((member) => !member.is_owner);
  const choices = roles.data?.data ?? [];
  const isPossible = others.length > 0 && choices.length > 0;
  const heirName = others.find(({ user_id }) => user_id === heir)?.name;
  return (
    <Panel
      title={t("transfer.title")}
      lead={t("transfer.lead")}
      actions={
        isPossible && (
          <Button variant="default" onClick={() => setOpen(true)}>
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
      <Confirm
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t("transfer.title")}
        action={t("transfer.open")}
        typed={organization.name}
        isIdle={heir === null || role === null}
        onConfirm={async () => {
          await transfer.mutateAsync({ params, body: { user_id: heir ?? "", role_id: role ?? "" } });
          notify(t("transfer.done", { name: heirName, organization: organization.name }));
        }}
      >
        <Stack>
          <Text>{t("transfer.words")}</Text>
          <Select
            data-autofocus
            label={t("transfer.newOwner")}
            required
            searchable
            data={others.map(({ user_id, name, email }) => ({ value: user_id, label: `${name} (${email})` }))}
            value={heir}
            onChange={setHeir}
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
      </Confirm>
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
