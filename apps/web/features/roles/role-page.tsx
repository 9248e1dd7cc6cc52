import { Alert, Button, Tooltip } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { hasAllPermissionsOf, usePermissions } from "../../session/permissions.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoButton } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { PermissionPicker } from "../../ui/permission-picker.tsx";
import { RoleForm } from "./role-form.tsx";

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
          first={role}
          action={t("everywhere:save")}
          isBusy={change.isPending}
          error={change.error}
          onSubmit={(body) =>
            change.mutate(
              { params, body: { ...body, updated_at: role.updated_at } },
              { onSuccess: () => notify(t("saved", { count: role.member_count })) },
            )
          }
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
