import { permissions } from "@countersign/domain/members/permissions";
import { Group, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { permissionGroups, permissionsOf } from "../../ui/permission-groups.ts";
import classes from "./roles.module.css";

type Role = Item<"listRoles">;

interface RoleListProps {
  readonly roles: readonly Role[];
  readonly isPending: boolean;
  readonly error: Error | null;
}

export function RoleList({ roles, isPending, error }: RoleListProps) {
  const { t } = useTranslation("roles");
  const { slug } = useOrganization();
  const columns: Column<Role>[] = [
    {
      id: "name",
      header: t("columns.name"),
      cell: (role) => (
        // The role that every organization starts with is called "Administrator".
        <GoLink to={paths.role(slug, role.id)} fw={600} size="sm" display="block" miw="6.75rem">
          {role.name}
        </GoLink>
      ),
    },
    { id: "may", header: t("columns.permissions"), cell: (role) => <Reach role={role} /> },
    {
      id: "members",
      header: t("columns.members"),
      cell: (role) => (
        <Text size="sm" className="figures">
          {t("members", { count: role.member_count })}
          {role.invitation_count > 0 && (
            <Text component="span" inherit c="dimmed">
              {" "}
              {t("invited", { count: role.invitation_count })}
            </Text>
          )}
        </Text>
      ),
    },
    {
      id: "changed",
      header: t("columns.updated"),
      wide: true,
      cell: (role) => <ListTime at={role.updated_at} />,
    },
  ];
  return (
    <DataTable
      label={t("title")}
      columns={columns}
      rows={roles}
      keyOf={(role) => role.id}
      isPending={isPending}
      error={error}
      empty={null}
    />
  );
}

/** The extent of a role: one bar per group, filled by the share of its permissions. */
function Reach({ role }: { role: Role }) {
  const { t } = useTranslation(["roles", "permissions"]);
  return (
    <Group gap="xs" wrap="nowrap">
      <span className={classes.reach} aria-hidden="true">
        {permissionGroups.map((group) => {
          const all = permissionsOf(group);
          const some = all.filter((permission) => role.permissions.includes(permission)).length;
          return (
            <Tooltip
              key={group}
              label={`${t(`permissions:groups.${group}`)}: ${t("permissions:chosen", { some, all: all.length })}`}
            >
              <span className={classes.bar}>
                <span className={classes.fill} style={{ height: `${(some / all.length) * 100}%` }} />
              </span>
            </Tooltip>
          );
        })}
      </span>
      <Text size="sm" c="dimmed" className="figures">
        {t("permissions:chosen", { some: role.permissions.length, all: permissions.length })}
      </Text>
    </Group>
  );
}
