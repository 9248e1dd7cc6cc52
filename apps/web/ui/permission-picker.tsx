import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { Checkbox, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";
import classes from "./permission-picker.module.css";

interface PermissionPickerProps {
  readonly value: ReadonlySet<Permission>;
  readonly onChange: (value: ReadonlySet<Permission>) => void;
  /** The permissions of the user who is choosing. They cannot grant or remove others. */
  readonly held: ReadonlySet<Permission>;
  /** Read-only. */
  readonly readOnly?: boolean;
}

/** The permissions of a role or an access token, in groups, each with a description. */
export function PermissionPicker(props: PermissionPickerProps) {
  const { t } = useTranslation("permissions");
  const isShort = props.readOnly !== true && permissions.some((permission) => !props.held.has(permission));
  return (
    <Stack gap="sm">
      {isShort && (
        <Group gap={6} wrap="nowrap" c="dimmed">
          <Icon name="lock" size={15} />
          <Text size="sm">{t("locked")}</Text>
        </Group>
      )}
      {permissionGroups.map((group) => (
        <GroupOfPermissions key={group} group={group} {...props} />
      ))}
    </Stack>
  );
}

function GroupOfPermissions({
  group,
  value,
  onChange,
  held,
  readOnly = false,
}: PermissionPickerProps & { group: PermissionGroup }) {
  const { t } = useTranslation("permissions");
  const all = permissionsOf(group);
  const open = readOnly ? [] : all.filter((permission) => held.has(permission));
  const chosen = all.filter((permission) => value.has(permission));
  const set = (changed: readonly Permission[], isOn: boolean) => {
    const next = new Set(value);
    for (const permission of changed) isOn ? next.add(permission) : next.delete(permission);
    onChange(next);
  };
  const openChosen = open.filter((permission) => value.has(permission)).length;
  return (
    <fieldset className={classes.group} aria-label={t(`groups.${group}`)}>
      <div className={classes.head}>
        {open.length > 1 ? (
          <Checkbox
            label={<Text fw={650}>{t(`groups.${group}`)}</Text>}
            aria-label={t("allOf", { group: t(`groups.${group}`) })}
            checked={openChosen === open.length}
            indeterminate={openChosen > 0 && openChosen < open.length}
            onChange={(event) => set(open, event.currentTarget.checked)}
          />
        ) : (
          <Text fw={650}>{t(`groups.${group}`)}</Text>
        )}
        <Text size="sm" c="dimmed" className="figures">
          {t("chosen", { some: chosen.length, all: all.length })}
        </Text>
      </div>
      <div className={classes.list}>
        {all.map((permission) =>
          open.includes(permission) ? (
            <Checkbox
              key={permission}
              label={t(permissionTextKeys(permission).name)}
              description={t(permissionTextKeys(permission).effect)}
              checked={value.has(permission)}
              onChange={(event) => set([permission], event.currentTarget.checked)}
            />
          ) : (
            <Locked
              key={permission}
              permission={permission}
              isOn={value.has(permission)}
              isLocked={!readOnly && !held.has(permission)}
            />
          ),
        )}
      </div>
    </fieldset>
  );
}

function Locked({
  permission,
  isOn,
  isLocked,
}: {
  permission: Permission;
  isOn: boolean;
  isLocked: boolean;
}) {
  const { t } = useTranslation("permissions");
  return (
    <div className={classes.locked}>
      <span className={`${classes.lock} ${isOn ? classes.held : ""}`}>
        <Icon name={isOn ? "check" : isLocked ? "lock" : "minus"} size={15} />
      </span>
      <Stack gap={0} miw={0}>
        <Group gap={6}>
          <Text size="sm" {...(isOn ? {} : { c: "dimmed" })}>
            {t(permissionTextKeys(permission).name)}
          </Text>
          <Text size="xs" c="dimmed">
            {t(isLocked ? "notGrantable" : isOn ? "on" : "off")}
          </Text>
        </Group>
        <Text size="xs" c="dimmed">
          {t(permissionTextKeys(permission).effect)}
        </Text>
      </Stack>
    </div>
  );
}

export const permissionGroups = [
  "products",
  "licenses",
  "customers",
  "webhooks",
  "people",
  "insight",
  "organization",
] as const;
type PermissionGroup = (typeof permissionGroups)[number];

/** A new permission must be added to a group here. */
const groupOf: Readonly<Record<Permission, PermissionGroup>> = {
  "products:view": "products",
  "products:manage": "products",
  "products:rotate_key": "products",
  "licenses:view": "licenses",
  "licenses:create": "licenses",
  "licenses:update": "licenses",
  "licenses:revoke": "licenses",
  "licenses:delete": "licenses",
  "licenses:reset_ips": "licenses",
  "licenses:import": "licenses",
  "licenses:export": "licenses",
  "customers:view": "customers",
  "customers:manage": "customers",
  "transfers:review": "customers",
  "webhooks:view": "webhooks",
  "webhooks:manage": "webhooks",
  "members:view": "people",
  "members:invite": "people",
  "members:remove": "people",
  "roles:edit": "people",
  "billing:view": "organization",
  "billing:manage": "organization",
  "analytics:view": "insight",
  "requests:view": "insight",
  "audit_log:view": "insight",
  "ip_blocks:manage": "licenses",
  "organization:manage": "organization",
};

export function permissionsOf(group: PermissionGroup): readonly Permission[] {
  return permissions.filter((permission) => groupOf[permission] === group);
}

/** The translation key: i18next uses the colon for something else. */
export function permissionTextKeys(permission: Permission): { name: string; effect: string } {
  const place = permission.replace(":", ".");
  return { name: `names.${place}`, effect: `effects.${place}` };
}
