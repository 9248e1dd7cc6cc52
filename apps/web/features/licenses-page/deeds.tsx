import { ActionIcon, Button, Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay } from "../../app/here.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Confirmations } from "./confirmations.tsx";
import { EditDrawer } from "./edit-drawer.tsx";
import type { License } from "./license.ts";
import classes from "./license-page.module.css";
import { useReinstate } from "./reinstate.ts";
import { RenewDialog } from "./renew-dialog.tsx";
import type { Deed } from "./routes.tsx";
import { TransferDialog } from "./transfer-dialog.tsx";
import { useDeed } from "./use-deed.ts";

const iconClass = { section: classes.deedIcon ?? "" };

/** What one may do to a license: what is done often as buttons, the rest in a menu. */
export function Deeds({ license }: { license: License }) {
  const { t } = useTranslation("licenses-page");
  const may = useMay();
  const [deed, open] = useDeed();
  const reinstate = useReinstate(license);
  const close = () => open(undefined);
  const mayUpdate = may("licenses:update");
  const item = (what: Deed, icon: IconName) => (
    <Menu.Item leftSection={<Icon name={icon} size={16} />} onClick={() => open(what)}>
      {t(`deeds.${what}`)}
    </Menu.Item>
  );
  return (
    <>
      {mayUpdate && (
        <Button
          variant="default"
          classNames={iconClass}
          leftSection={<Icon name="edit" size={16} />}
          onClick={() => open("edit")}
        >
          {t("everywhere:edit")}
        </Button>
      )}
      {mayUpdate && !license.is_lifetime && (
        <Button
          variant="default"
          classNames={iconClass}
          leftSection={<Icon name="clock" size={16} />}
          onClick={() => open("renew")}
        >
          {t("deeds.renew")}
        </Button>
      )}
      {may("licenses:revoke") &&
        (license.revoked_at === null ? (
          <Button
            variant="default"
            classNames={iconClass}
            leftSection={<Icon name="block" size={16} />}
            onClick={() => open("revoke")}
          >
            {t("deeds.revoke")}
          </Button>
        ) : (
          <Button onClick={() => void reinstate()}>{t("deeds.reinstate")}</Button>
        ))}
      {(mayUpdate || may("licenses:delete", "licenses:reset_ips")) && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size="input-sm" aria-label={t("deeds.more")}>
              <Icon name="dots" size={16} />
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
                  {t("deeds.delete")}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <EditDrawer license={license} opened={deed === "edit" && mayUpdate} onClose={close} />
      <RenewDialog
        license={license}
        opened={deed === "renew" && mayUpdate && !license.is_lifetime}
        onClose={close}
      />
      <TransferDialog license={license} opened={deed === "transfer" && mayUpdate} onClose={close} />
      <Confirmations license={license} />
    </>
  );
}
