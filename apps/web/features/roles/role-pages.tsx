import { type Permission, sortedPermissions } from "@countersign/domain/members/permissions";
import { Alert, Button, Group, Stack, Tooltip } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import {
  hasAllPermissionsOf,
  useMay,
  useOrganization,
  usePermissions,
} from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";

import { useConfirm } from "../../ui/confirm.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Form, StickyBar } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoButton } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page, Waiting } from "../../ui/page.tsx";
import { PermissionPicker } from "../../ui/permission-picker.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { useForm } from "../../ui/use-form.tsx";
import { isPreset, type Preset, presets } from "./presets.ts";

const roleRoute = getRouteApi("/signed-in/o/$organization/roles/$role");

export function RolePage() {
  const { t } = useTranslation("roles");
  const organization = useOrganization();
  const may = useMay();
  const held = usePermissions();
  const navigate = useNavigate();
  const { role: roleId } = roleRoute.useParams();
  const params = { organization_id: organization.id, role_id: roleId };
  const { data: role } = useSuspenseQuery(ask("getRole", { params }));
  const change = useChange("updateRole");
  const remove = useChange("deleteRole");
  const create = useChange("createRole");
  const removal = useConfirm(() => ({
    title: t("remove.title", { name: role.name }),
    children: t("remove.words"),
    action: t("remove.open"),
    onConfirm: async () => {
      await remove.mutateAsync({ params });
      await navigate(paths.roles(organization.slug));
      const { name, permissions } = role;
      notify(t("remove.done", { name }), () =>
        create.mutateAsync({ params: { organization_id: organization.id }, body: { name, permissions } }),
      );
    },
  }));
  const mayEdit = may("roles:edit") && hasAllPermissionsOf(held, role);
  const uses = role.member_count + role.invitation_count;
  const inUse =
    uses === 0
      ? null
      : t("inUse", {
          members: t("members", { count: role.member_count }),
          invitations: t("invitations", { count: role.invitation_count }),
        });
  return (
    <Page
      title={role.name}
      above={<Back to={paths.roles(organization.slug)}>{t("title")}</Back>}
      lead={`${t("members", { count: role.member_count })}, ${t("invitations", { count: role.invitation_count })}`}
      actions={
        <>
          {may("roles:edit") && (
            <GoButton
              variant="default"
              leftSection={<Icon name="copy" size={16} />}
              to={paths.newRole(organization.slug, { copy: role.id })}
            >
              {t("duplicate")}
            </GoButton>
          )}
          {mayEdit && (
            <Tooltip label={inUse} disabled={inUse === null} multiline maw={320}>
              <Button
                variant="default"
                leftSection={<Icon name="trash" size={16} />}
                onClick={() => inUse === null && removal.ask()}
                {...(inUse === null ? {} : { "data-disabled": true, "aria-disabled": true })}
              >
                {t("remove.open")}
              </Button>
            </Tooltip>
          )}
        </>
      }
    >
      {mayEdit ? (
        <RoleForm
          // Changes are compared with the saved role.
          key={role.updated_at}
          start={role}
          action={t("everywhere:save")}
          send={async (body) => {
            await change.mutateAsync({ params, body: { ...body, updated_at: role.updated_at } });
            notify(t("saved", { count: role.member_count }));
          }}
        />
      ) : (
        <>
          {may("roles:edit") && (
            <Alert my="md" icon={<Icon name="lock" />}>
              {t("moreThanYours")}
            </Alert>
          )}
          <PermissionPicker
            value={new Set(role.permissions)}
            onChange={() => undefined}
            held={held}
            readOnly
          />
        </>
      )}
      {removal.dialog}
    </Page>
  );
}

const newRoleRoute = getRouteApi("/signed-in/o/$organization/roles/new");

export function NewRolePage() {
  const { t } = useTranslation("roles");
  const organization = useOrganization();
  const held = usePermissions();
  const { from, copy } = newRoleRoute.useSearch();
  const original = useQuery({
    ...ask("getRole", { params: { organization_id: organization.id, role_id: copy ?? "" } }),
    enabled: copy !== undefined,
  });
  const navigate = useNavigate();
  const create = useChange("createRole");
  const preset = isPreset(from) ? from : null;
  if (copy !== undefined && original.isPending) return <Waiting />;
  const start = {
    name: original.data ? t("copyOf", { name: original.data.name }) : preset ? t(`presets.${preset}`) : "",
    permissions: (original.data?.permissions ?? (preset === null ? [] : presets[preset])).filter(
      (permission) => held.has(permission),
    ),
  };
  const list = paths.roles(organization.slug);
  return (
    <Page title={t("new")} above={<Back to={list}>{t("title")}</Back>} lead={t("newLead")}>
      <Group gap={6} my="md">
        <Dimmed>{t("startFrom")}</Dimmed>
        {(Object.keys(presets) as Preset[]).map((one) => (
          <Button
            key={one}
            size="compact-sm"
            variant={one === preset ? "light" : "default"}
            aria-pressed={one === preset}
            onClick={() => navigate({ ...paths.newRole(organization.slug, { from: one }), replace: true })}
          >
            {t(`presets.${one}`)}
          </Button>
        ))}
      </Group>
      <RoleForm
        key={copy ?? preset}
        start={start}
        isNew
        action={t("create")}
        send={async (role) => {
          const { name } = await create.mutateAsync({
            params: { organization_id: organization.id },
            body: role,
          });
          notify(t("created", { name }));
          await navigate(list);
        }}
      />
    </Page>
  );
}

interface RoleFormProps {
  readonly start: { readonly name: string; readonly permissions: readonly Permission[] };
  readonly action: string;
  readonly send: (role: { name: string; permissions: Permission[] }) => Promise<unknown>;
  /** The initial name of a new role. */
  readonly isNew?: boolean;
}

function RoleForm({ start, action, send, isNew = false }: RoleFormProps) {
  const { t } = useTranslation("roles");
  const held = usePermissions();
  const form = useForm({
    start: { name: start.name, permissions: sortedPermissions(new Set(start.permissions)) },
    send,
  });
  return (
    <Form
      {...form.props}
      // Another template in the URL remounts the form.
      goesWithSearch={isNew}
    >
      <Stack>
        <TextField
          {...form.field("name")}
          label={t("name")}
          placeholder={t("nameExample")}
          required
          maxLength={100}
          maw={420}
          autoFocus={isNew}
        />
        <PermissionPicker
          value={new Set(form.values.permissions)}
          onChange={(chosen) => form.set({ permissions: sortedPermissions(chosen) })}
          held={held}
        />
        <ProblemAlert error={form.error} beside={["name"]} />
        <StickyBar shown={isNew || form.isChanged}>
          <Group gap="xs">
            <Button type="submit" loading={form.isBusy}>
              {action}
            </Button>
            {!isNew && (
              <Button variant="default" onClick={() => form.restart(form.base)}>
                {t("discard")}
              </Button>
            )}
          </Group>
        </StickyBar>
      </Stack>
    </Form>
  );
}
