import { ActionIcon, Button, Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay } from "../../app/here.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { nearOf, onDemand } from "../../ui/on-demand.tsx";
import type { Question } from "./confirmations.tsx";
import type { Deed } from "./deed.ts";
import type { License } from "./license.ts";
import classes from "./license-page.module.css";
import { useReinstate } from "./reinstate.ts";
import { useDeed } from "./use-deed.ts";

const EditDrawer = onDemand(() => import("./edit-drawer.tsx").then((file) => file.EditDrawer));
const RenewDialog = onDemand(() => import("./renew-dialog.tsx").then((file) => file.RenewDialog));
const TransferDialog = onDemand(() => import("./transfer-dialog.tsx").then((file) => file.TransferDialog));
const Confirmation = onDemand(() => import("./confirmations.tsx").then((file) => file.Confirmation));
const behindTheMenu = () => Promise.all([import("./transfer-dialog.tsx"), import("./confirmations.tsx")]);

const questions: readonly Question[] = ["revoke", "rotate", "reset", "delete"];
const deedClasses = { root: classes.deed ?? "", section: classes.deedIcon ?? "" };

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
          classNames={deedClasses}
          leftSection={<Icon name="edit" size={16} />}
          onClick={() => open("edit")}
          {...EditDrawer.near}
        >
          {t("everywhere:edit")}
        </Button>
      )}
      {mayUpdate && !license.is_lifetime && (
        <Button
          // What the verdict below asks for stands out.
          variant={license.status === "expired" ? "filled" : "default"}
          classNames={deedClasses}
          leftSection={<Icon name="clock" size={16} />}
          onClick={() => open("renew")}
          {...RenewDialog.near}
        >
          {t("deeds.renew")}
        </Button>
      )}
      {may("licenses:revoke") &&
        (license.revoked_at === null ? (
          <Button
            variant="default"
            classNames={deedClasses}
            leftSection={<Icon name="block" size={16} />}
            onClick={() => open("revoke")}
            {...Confirmation.near}
          >
            {t("deeds.revoke")}
          </Button>
        ) : (
          <Button classNames={deedClasses} onClick={() => void reinstate()}>
            {t("deeds.reinstate")}
          </Button>
        ))}
      {(mayUpdate || may("licenses:delete", "licenses:reset_ips")) && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon
              variant="default"
              size="input-sm"
              aria-label={t("deeds.more")}
              {...nearOf(behindTheMenu)}
            >
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
      <Confirmation
        license={license}
        deed={deed}
        opened={questions.some((question) => question === deed)}
        onClose={close}
      />
    </>
  );
}
