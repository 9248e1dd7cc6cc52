import { Tooltip, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { permissionGroups, permissionsOf, permissionTextKeys } from "../../ui/permission-groups.ts";
import classes from "./roles.module.css";

/** A table of every permission and every role. */
export function RoleComparison({ roles }: { roles: readonly Item<"listRoles">[] }) {
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
