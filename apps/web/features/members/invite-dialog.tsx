import { Alert, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { isWithin, useHeld } from "../../app/held.ts";
import { useMay, useOrganization } from "../../app/here.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { tell } from "../../ui/tell.tsx";

interface InviteDialogProps {
  readonly opened: boolean;
  readonly roleId: string | null;
  readonly onClose: () => void;
}

export function InviteDialog({ opened, roleId, onClose }: InviteDialogProps) {
  const { t } = useTranslation("members");
  return (
    <Modal opened={opened} onClose={onClose} title={t("invite.title")}>
      {opened && <InviteForm roleId={roleId} onClose={onClose} />}
    </Modal>
  );
}

function InviteForm({ roleId, onClose }: Omit<InviteDialogProps, "opened">) {
  const { t } = useTranslation("members");
  const organization = useOrganization();
  const may = useMay();
  const held = useHeld();
  const params = { organization_id: organization.id };
  const roles = useQuery(ask("listRoles", { params, query: { limit: 200 } }));
  const invite = useChange("createInvitation", ["listInvitations", "listRoles"]);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<string | null>(roleId);
  const choices = (roles.data?.data ?? []).map((one) => ({
    value: one.id,
    label: one.name,
    disabled: !isWithin(held, one),
  }));
  const send = () =>
    invite.mutate(
      { params, body: { email, role_id: role ?? "" } },
      {
        onSuccess: () => {
          tell(t("invite.done", { email }));
          onClose();
        },
      },
    );
  if (roles.isSuccess && choices.length === 0)
    return (
      <Stack>
        <Text>{t("invite.noRoles")}</Text>
        {may("roles:edit") && (
          <GoLink to={`/o/${organization.slug}/roles/new`}>{t("invite.makeRole")}</GoLink>
        )}
      </Stack>
    );
  return (
    <DialogForm
      onSubmit={send}
      onClose={onClose}
      isBusy={invite.isPending}
      isDisabled={role === null}
      deed={t("invite.do")}
    >
      <ProblemAlert error={invite.error} beside={["email", "role_id"]} />
      <TextInput
        label={t("invite.email")}
        type="email"
        required
        data-autofocus
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={fieldError(invite.error, "email")}
      />
      <Select
        label={t("invite.role")}
        description={choices.some(({ disabled }) => disabled) ? t("invite.beyond") : undefined}
        required
        data={choices}
        value={role}
        onChange={setRole}
        allowDeselect={false}
        error={fieldError(invite.error, "role_id")}
      />
      <Alert variant="default">{t("invite.words")}</Alert>
    </DialogForm>
  );
}
