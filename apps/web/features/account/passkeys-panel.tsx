import { ActionIcon, Button, Menu, Modal, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { useMe } from "../../app/here.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { tell, tellProblem } from "../../ui/tell.tsx";
import { Time } from "../../ui/time.tsx";
import { canUsePasskeys } from "../identity/passkey.ts";
import classes from "./account.module.css";
import { thisBrowser } from "./browser-name.ts";
import { makePasskey, type PasskeyCreation } from "./new-passkey.ts";
import { type Passkey, RenamePasskey } from "./rename-passkey.tsx";

export function PasskeysPanel() {
  const { t } = useTranslation("account");
  const { passkeys } = useMe().sign_in_methods;
  const queries = useQueryClient();
  const reread = () => queries.invalidateQueries({ queryKey: ["getMe"] });
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const [going, setGoing] = useState<Passkey | null>(null);
  const nameOf = (passkey: Passkey | null) => passkey?.name ?? t("passkeys.unnamed");
  const add = useMutation({
    mutationFn: async () => {
      const response = await makePasskey(await callAuth<PasskeyCreation>("beginPasskey"));
      if (response === null) return false;
      await callAuth("addPasskey", { response, name: thisBrowser() });
      return true;
    },
    onSuccess: async (isAdded) => {
      if (!isAdded) return;
      tell(t("passkeys.added"));
      await reread();
    },
    onError: (error) =>
      tellProblem(
        error instanceof DOMException && error.name === "InvalidStateError"
          ? t("passkeys.thereAlready")
          : error,
      ),
  });
  return (
    <Panel
      title={t("passkeys.title")}
      lead={t("passkeys.lead")}
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={16} />}
          disabled={!canUsePasskeys()}
          loading={add.isPending}
          onClick={() => add.mutate()}
        >
          {t("passkeys.add")}
        </Button>
      }
    >
      {!canUsePasskeys() && (
        <Text size="sm" c="dimmed">
          {t("passkeys.cannot")}
        </Text>
      )}
      {passkeys.length > 0 && (
        <div>
          {passkeys.map((passkey) => (
            <div key={passkey.id} className={classes.line}>
              <Icon name="key" />
              <div className={classes.words}>
                <Text fw={600} truncate>
                  {nameOf(passkey)}
                </Text>
                {passkey.created_at !== null && (
                  <Text size="xs" c="dimmed">
                    {t("passkeys.since")} <Time at={passkey.created_at} />
                  </Text>
                )}
              </div>
              <Menu position="bottom-end">
                <Menu.Target>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t("passkeys.more", { name: nameOf(passkey) })}
                  >
                    <Icon name="dots" />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={<Icon name="edit" size={16} />}
                    onClick={() => setRenaming(passkey)}
                  >
                    {t("passkeys.rename")}
                  </Menu.Item>
                  <Menu.Item
                    color="red"
                    leftSection={<Icon name="trash" size={16} />}
                    onClick={() => setGoing(passkey)}
                  >
                    {t("passkeys.remove")}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </div>
          ))}
        </div>
      )}
      <Modal opened={renaming !== null} onClose={() => setRenaming(null)} title={t("passkeys.rename")}>
        {renaming !== null && (
          <RenamePasskey
            passkey={renaming}
            onClose={() => setRenaming(null)}
            onDone={async () => {
              setRenaming(null);
              await reread();
            }}
          />
        )}
      </Modal>
      <Confirm
        opened={going !== null}
        onClose={() => setGoing(null)}
        title={t("passkeys.removeTitle", { name: nameOf(going) })}
        deed={t("passkeys.remove")}
        onConfirm={async () => {
          await callAuth("removePasskey", { id: going?.id ?? "" });
          await reread();
          tell(t("passkeys.removed", { name: nameOf(going) }));
        }}
      >
        {t("passkeys.removeWords")}
      </Confirm>
    </Panel>
  );
}
