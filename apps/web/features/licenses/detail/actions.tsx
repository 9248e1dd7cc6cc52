import { ActionIcon, Button, Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../session/current-organization.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { onDemand, prefetchOnHover } from "../../../ui/on-demand.tsx";
import type { Action } from "../search.ts";
import type { ConfirmedAction } from "./confirmations.tsx";
import { type License, useAction, useReinstate } from "./license.ts";
import classes from "./license-page.module.css";

const EditDrawer = onDemand(() => import("./edit-drawer.tsx").then((file) => file.EditDrawer));
const RenewDialog = onDemand(() => import("./renew-dialog.tsx").then((file) => file.RenewDialog));
const TransferDialog = onDemand(() => import("./transfer-dialog.tsx").then((file) => file.TransferDialog));
const Confirmation = onDemand(() => import("./confirmations.tsx").then((file) => file.Confirmation));
const behindTheMenu = () => Promise.all([import("./transfer-dialog.tsx"), import("./confirmations.tsx")]);

const confirmed: readonly ConfirmedAction[] = ["revoke", "rotate", "reset", "delete"];
const actionClasses = { root: classes.action ?? "", section: classes.actionIcon ?? "" };

/** The permitted actions of a license: frequent ones as buttons, the rest in a menu. */
export function Actions({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const [action, open] = useAction();
  const reinstate = useReinstate(license);
  const close = () => open(undefined);
  const mayUpdate = may("licenses:update");
  const item = (what: Action, icon: IconName) => (
    <Menu.Item leftSection={<Icon name={icon} size={16} />} onClick={() => open(what)}>
      {t(`actions.${what}`)}
    </Menu.Item>
  );
  return (
    <>
      {mayUpdate && (
        <Button
          variant="default"
          classNames={actionClasses}
          leftSection={<Icon name="edit" size={16} />}
          onClick={() => open("edit")}
          {...EditDrawer.near}
        >
          {t("everywhere:edit")}
        </Button>
      )}
      {mayUpdate && !license.is_lifetime && (
        <Button
          // The action that the status banner suggests is highlighted.
          variant={license.status === "expired" ? "filled" : "default"}
          classNames={actionClasses}
          leftSection={<Icon name="clock" size={16} />}
          onClick={() => open("renew")}
          {...RenewDialog.near}
        >
          {t("actions.renew")}
        </Button>
      )}
      {may("licenses:revoke") &&
        (license.revoked_at === null ? (
          <Button
            variant="default"
            classNames={actionClasses}
            leftSection={<Icon name="block" size={16} />}
            onClick={() => open("revoke")}
            {...Confirmation.near}
          >
            {t("actions.revoke")}
          </Button>
        ) : (
          <Button classNames={actionClasses} onClick={() => void reinstate()}>
            {t("actions.reinstate")}
          </Button>
        ))}
      {(mayUpdate || may("licenses:delete", "licenses:reset_ips")) && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon
              variant="default"
              size="input-sm"
              aria-label={t("actions.more")}
              {...prefetchOnHover(behindTheMenu)}
            >
              <Icon name="more" size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {mayUpdate && item("transfer", "customer")}
            {mayUpdate && item("rotate", "refresh")}
            {may("licenses:reset_ips") && item("reset", "ip")}
            {may("licenses:delete") && (
              <>
                <Menu.Divider />
                <Menu.Item
                  color="red"
                  leftSection={<Icon name="trash" size={16} />}
                  onClick={() => open("delete")}
                >
                  {t("actions.delete")}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <EditDrawer license={license} opened={action === "edit" && mayUpdate} onClose={close} />
      <RenewDialog
        license={license}
        opened={action === "renew" && mayUpdate && !license.is_lifetime}
        onClose={close}
      />
      <TransferDialog license={license} opened={action === "transfer" && mayUpdate} onClose={close} />
      <Confirmation
        license={license}
        action={action}
        opened={confirmed.some((one) => one === action)}
        onClose={close}
      />
    </>
  );
}
