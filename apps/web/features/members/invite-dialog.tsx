import type { Permission } from "@countersign/domain/members/permissions";
import { startingRoleLike } from "@countersign/domain/members/starting-roles";
import { Alert, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { OneTimeLink } from "../../app/no-email.tsx";
import {
  hasAllPermissionsOf,
  useMay,
  useOrganization,
  usePermissions,
} from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";

import { useSendsEmail } from "../../session/sends-email.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { GoLink } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { permissionGroups, permissionsOf } from "../../ui/permission-picker.tsx";
import { exactTime } from "../../ui/time.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";

interface InviteDialogProps {
  readonly opened: boolean;
  readonly roleId: string | null;
  readonly onClose: () => void;
}

export function InviteDialog({ opened, roleId, onClose }: InviteDialogProps) {
  const { t } = useTranslation("members");
  const [made, setMade] = useState<MadeInvitation | null>(null);
  return (
    <>
      <Dialog opened={opened && made === null} onClose={onClose} title={t("invite.title")}>
        {opened && <InviteForm roleId={roleId} onClose={onClose} onLink={setMade} />}
      </Dialog>
      <InvitationLink
        invitation={made}
        onDone={() => {
          setMade(null);
          onClose();
        }}
      />
    </>
  );
}

type MadeInvitation = Answer<"createInvitation">;

/** The link of an invitation, where the server sends no emails. */
export function InvitationLink({
  invitation,
  onDone,
}: {
  invitation: MadeInvitation | null;
  onDone: () => void;
}) {
  const { t, i18n } = useTranslation("members");
  const { email = "", link = null, expires_at: until = "" } = invitation ?? {};
  return (
    <Dialog
      opened={link !== null}
      onClose={onDone}
      title={t("invite.linkTitle", { email })}
      closeOnClickOutside={false}
    >
      {link !== null && (
        <OneTimeLink link={link} onDone={onDone}>
          {t("invite.link", { email, until: exactTime(until, i18n.language) })}
        </OneTimeLink>
      )}
    </Dialog>
  );
}

function InviteForm({
  roleId,
  onClose,
  onLink,
}: Omit<InviteDialogProps, "opened"> & { onLink: (made: MadeInvitation) => void }) {
  const { t } = useTranslation(["members", "permissions"]);
  const sendsEmail = useSendsEmail();
  const organization = useOrganization();
  const may = useMay();
  const held = usePermissions();
  const params = { organization_id: organization.id };
  const roles = useQuery(ask("listRoles", { params, query: { limit: 200 } }));
  const invite = useChange("createInvitation");
  const form = useForm({
    start: { email: "", role_id: roleId },
    send: async ({ email, role_id }) => {
      const made = await invite.mutateAsync({ params, body: { email, role_id: role_id ?? "" } });
      if (made.link !== null) return onLink(made);
      notify(t("invite.done", { email }));
      onClose();
    },
  });
  const list = roles.data?.data ?? [];
  const choices = list.map((one) => ({
    value: one.id,
    label: one.name,
    disabled: !hasAllPermissionsOf(held, one),
  }));
  const wordsOf = (id: string | null) => {
    const role = list.find((one) => one.id === id);
    return role === undefined ? null : roleSummary(t, role.permissions);
  };
  if (roles.isSuccess && choices.length === 0)
    return (
      <Stack>
        <Text>{t("invite.noRoles")}</Text>
        {may("roles:edit") && <GoLink to={paths.newRole(organization.slug)}>{t("invite.createRole")}</GoLink>}
      </Stack>
    );
  return (
    <DialogForm
      {...form.props}
      isDisabled={form.values.role_id === null}
      action={t(sendsEmail ? "invite.do" : "invite.doNoEmail")}
    >
      <FormProblem form={form} />
      <TextField
        {...form.field("email")}
        label={t("invite.email")}
        type="email"
        required
        data-autofocus
        autoComplete="off"
      />
      <Select
        {...form.field("role_id")}
        label={t("invite.role")}
        description={choices.some(({ disabled }) => disabled) ? t("invite.moreThanYours") : undefined}
        required
        data={choices}
        allowDeselect={false}
        renderOption={({ option }) => (
          <Stack gap={0}>
            <Text size="sm" fw={600}>
              {option.label}
            </Text>
            <Dimmed size="xs">{wordsOf(option.value)}</Dimmed>
          </Stack>
        )}
      />
      {form.values.role_id !== null && <Dimmed mt={-8}>{wordsOf(form.values.role_id)}</Dimmed>}
      <Alert variant="default">{t(sendsEmail ? "invite.words" : "invite.wordsNoEmail")}</Alert>
    </DialogForm>
  );
}

/** A one-line summary of a role's current permissions. */
function roleSummary(t: TFunction, allowed: readonly Permission[]): string {
  const like = startingRoleLike(allowed);
  if (like !== null) return t(`members:roles.${like}`);
  const groups = permissionGroups.filter((group) =>
    permissionsOf(group).some((permission) => allowed.includes(permission)),
  );
  if (groups.length === 0) return t("members:roles.nothing");
  return t("members:roles.some", {
    count: allowed.length,
    groups: groups.map((group) => t(`permissions:groups.${group}`)).join(", "),
  });
}
