import { permissions } from "@countersign/domain/members/permissions";
import { Group, Stack, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Empty } from "../../ui/empty.tsx";
import { FilterChoice } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoButton, GoLink } from "../../ui/links.tsx";
import { List, type ListQuery } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { permissionGroups, permissionsOf, permissionTextKeys } from "../../ui/permission-picker.tsx";
import { presets } from "./presets.ts";
import classes from "./roles.module.css";

const rolesRoute = getRouteApi("/signed-in/o/$organization/roles");

export function RolesPage() {
  const { t } = useTranslation("roles");
  const organization = useOrganization();
  const may = useMay();
  const { view = "list" } = rolesRoute.useSearch();
  const navigate = rolesRoute.useNavigate();
  const roles = useQuery(
    ask("listRoles", { params: { organization_id: organization.id }, query: { limit: 200 } }),
  );
  const rows = roles.data?.data ?? [];
  const isEmpty = roles.isSuccess && rows.length === 0;
  return (
    <Page
      wide
      title={t("title")}
      lead={t("lead")}
      actions={
        may("roles:edit") && (
          <GoButton to={paths.newRole(organization.slug)} leftSection={<Icon name="plus" size={16} />}>
            {t("new")}
          </GoButton>
        )
      }
    >
      <Stack gap="sm">
        {!isEmpty && (
          <Group>
            <FilterChoice
              size="xs"
              label={t("view.label")}
              values={["list", "compare"]}
              words={(value) => t(`view.${value}`)}
              value={view}
              onChange={(value) =>
                void navigate({ search: value === "compare" ? { view: value } : {}, replace: true })
              }
            />
          </Group>
        )}
        {isEmpty ? (
          <NoRoles />
        ) : view === "compare" && roles.isSuccess ? (
          <RoleComparison roles={rows} />
        ) : (
          <>
            <RoleList list={roles} />
            <Legend />
          </>
        )}
      </Stack>
    </Page>
  );
}

/** What the bars of a role stand for. */
function Legend() {
  const { t, i18n } = useTranslation(["roles", "permissions"]);
  const groups = new Intl.ListFormat(i18n.language).format(
    permissionGroups.map((group) => t(`permissions:groups.${group}`)),
  );
  return <Dimmed size="sm">{t("legend", { groups })}</Dimmed>;
}

type Role = Item<"listRoles">;

function RoleList({ list }: { readonly list: ListQuery<Role> }) {
  const { t } = useTranslation("roles");
  const { slug } = useOrganization();
  return (
    <List
      label={t("title")}
      list={list}
      columns={[
        {
          header: t("columns.name"),
          cell: (role) => (
            // The role that every organization starts with is called "Administrator".
            <GoLink to={paths.role(slug, role.id)} fw={600} size="sm" display="block" miw="6.75rem">
              {role.name}
            </GoLink>
          ),
        },
        { header: t("columns.permissions"), cell: (role) => <Reach role={role} /> },
        {
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
        { header: t("columns.updated"), wide: true, at: (role) => role.updated_at },
      ]}
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
          const included = all.filter((permission) => role.permissions.includes(permission)).length;
          return (
            <Tooltip
              key={group}
              label={`${t(`permissions:groups.${group}`)}: ${t("permissions:chosen", { some: included, all: all.length })}`}
            >
              <span className={classes.bar}>
                <span className={classes.fill} style={{ height: `${(included / all.length) * 100}%` }} />
              </span>
            </Tooltip>
          );
        })}
      </span>
      <Dimmed className="figures">
        {t("permissions:chosen", { some: role.permissions.length, all: permissions.length })}
      </Dimmed>
    </Group>
  );
}

/** A table of every permission and every role. */
function RoleComparison({ roles }: { roles: readonly Item<"listRoles">[] }) {
  const { t } = useTranslation(["roles", "permissions"]);
  const { slug } = useOrganization();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be focusable.
    <section className={classes.matrix} aria-label={t("view.compare")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("columns.permission")}</th>
            {roles.map((role) => (
              <th key={role.id} scope="col">
                <GoLink to={paths.role(slug, role.id)} size="sm" fw={650}>
                  {role.name}
                </GoLink>
              </th>
            ))}
          </tr>
        </thead>
        {permissionGroups.map((group) => (
          <tbody key={group}>
            <tr>
              <th scope="rowgroup" colSpan={roles.length + 1} className={classes.group}>
                {t(`permissions:groups.${group}`)}
              </th>
            </tr>
            {permissionsOf(group).map((permission) => (
              <tr key={permission}>
                <th scope="row">
                  <Tooltip label={t(`permissions:${permissionTextKeys(permission).effect}`)} position="right">
                    <span>{t(`permissions:${permissionTextKeys(permission).name}`)}</span>
                  </Tooltip>
                </th>
                {roles.map((role) => {
                  const isOn = role.permissions.includes(permission);
                  return (
                    <td key={role.id} className={isOn ? classes.yes : classes.no}>
                      <Icon name={isOn ? "check" : "minus"} size={isOn ? 16 : 12} />
                      <VisuallyHidden>{t(isOn ? "permissions:on" : "permissions:off")}</VisuallyHidden>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

/** Offers presets while there are no roles. */
function NoRoles() {
  const { t } = useTranslation("roles");
  const { slug } = useOrganization();
  const may = useMay();
  return (
    <Empty
      icon="role"
      title={t("empty.title")}
      action={
        may("roles:edit") && (
          <Group gap="xs" justify="center" mt="xs">
            {Object.keys(presets).map((preset) => (
              <GoButton key={preset} variant="default" to={paths.newRole(slug, { from: preset })}>
                {t(`presets.${preset}`)}
              </GoButton>
            ))}
          </Group>
        )
      }
    >
      {t("empty.words")}
    </Empty>
  );
}
