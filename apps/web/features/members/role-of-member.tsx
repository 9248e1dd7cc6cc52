import { Badge, Select, Text, Tooltip } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, type Item } from "../../api/client.ts";
import { reloadAfter } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { hasAllPermissionsOf, usePermissions } from "../../session/permissions.ts";
import { notify, notifyProblem } from "../../ui/notify.tsx";

type Member = Item<"listMembers">;
type Role = Item<"listRoles">;

/** A member's role, as a select for users who can change it. */
export function RoleOfMember({ member, roles }: { member: Member; roles: readonly Role[] }) {
  const { t } = useTranslation("members");
  const { id: organizationId } = useOrganization();
  const may = useMay();
  const held = usePermissions();
  const give = useMutation({
    mutationFn: (roleId: string) =>
      call("updateMember", {
        params: { organization_id: organizationId, user_id: member.user_id },
        body: { role_id: roleId },
      }),
    onError: notifyProblem,
    onSettled: () => reloadAfter("updateMember"),
  });
  if (member.is_owner || member.role === null)
    return (
      <Tooltip label={t("ownerCan")}>
        <Badge variant="light" tabIndex={0}>
          {t("owner")}
        </Badge>
      </Tooltip>
    );
  const role = member.role;
  if (!may("roles:edit")) return <Text size="sm">{role.name}</Text>;
  if (!hasAllPermissionsOf(held, role))
    return (
      <Tooltip label={t("moreThanYours")}>
        <Text size="sm" tabIndex={0} w="fit-content">
          {role.name}
        </Text>
      </Tooltip>
    );
  const choose = async (roleId: string | null) => {
    const next = roles.find(({ id }) => id === roleId);
    if (next === undefined || next.id === role.id) return;
    try {
      await give.mutateAsync(next.id);
      notify(t("roleGiven", { name: member.name, role: next.name }), () => give.mutateAsync(role.id));
    } catch {
      // Already reported; the select shows the old value again.
    }
  };
  const choices = roles.map(({ id, name, permissions }) => ({
    value: id,
    label: name,
    disabled: !hasAllPermissionsOf(held, { permissions }),
  }));
  return (
    <Select
      size="xs"
      aria-label={t("roleOf", { name: member.name })}
      data={choices.some(({ value }) => value === role.id) ? choices : [{ value: role.id, label: role.name }]}
      value={give.isPending ? (give.variables ?? role.id) : role.id}
      onChange={choose}
      allowDeselect={false}
      w={{ base: 124, sm: 200 }}
    />
  );
}
