import { browserName } from "@countersign/domain/user-agent/parse";
import { ActionIcon, Button, Menu, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Answer, callAuth } from "../../api/client.ts";
import { reloadAccount } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { ListTime } from "../../ui/time.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { canUsePasskeys, createPasskey, type PasskeyCreation } from "../identity/passkey.ts";
import classes from "./account.module.css";
import { ConfirmIdentity, type ProofBody } from "./proof.tsx";

export function PasskeysPanel() {
  const { t } = useTranslation("account");
  const { passkeys } = useMe().sign_in_methods;
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const nameOf = (passkey: Passkey | null) => passkey?.name ?? t("passkeys.unnamed");
  const [isAdding, setAdding] = useState(false);
  const add = async (body: ProofBody) => {
    // Checked before asking the device: it would keep a passkey that the server has not stored.
    const wanted = await callAuth<PasskeyCreation>("beginPasskey", body);
    try {
      const response = await createPasskey(wanted);
      if (response === null) return;
      await callAuth("addPasskey", { response, name: browserName(navigator.userAgent) || "Passkey" });
      notify(t("passkeys.added"));
      await reloadAccount();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "InvalidStateError")) throw error;
      notifyProblem(t("passkeys.alreadyAdded"));
    }
  };
  return (
    <Panel
      title={t("passkeys.title")}
      lead={t("passkeys.lead")}
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={16} />}
          disabled={!canUsePasskeys()}
          onClick={() => setAdding(true)}
        >
          {t("passkeys.add")}
        </Button>
      }
    >
      {!canUsePasskeys() && <Dimmed>{t("passkeys.cannot")}</Dimmed>}
      {passkeys.length > 0 && (
        <div>
          {passkeys.map((passkey) => (
            <PasskeyLine
              key={passkey.id}
              passkey={passkey}
              name={nameOf(passkey)}
              onRename={() => setRenaming(passkey)}
              onRemove={() => setRemoved(passkey)}
            />
          ))}
        </div>
      )}
      <ConfirmIdentity
        opened={isAdding}
        onClose={() => setAdding(false)}
        title={t("passkeys.add")}
        words={t("passkeys.addWords")}
        action={t("passkeys.do")}
        run={add}
      />
      <Dialog opened={renaming !== null} onClose={() => setRenaming(null)} title={t("passkeys.rename")}>
        {renaming !== null && (
          <RenamePasskey
            passkey={renaming}
            onDone={async () => {
              setRenaming(null);
              await reloadAccount();
            }}
          />
        )}
      </Dialog>
      <ConfirmIdentity
        opened={removed !== null}
        onClose={() => setRemoved(null)}
        title={t("passkeys.removeTitle", { name: nameOf(removed) })}
        words={t("passkeys.removeWords")}
        action={t("passkeys.remove")}
        isRemoval
        run={async (proof) => {
          await callAuth("removePasskey", { id: removed?.id ?? "", ...proof });
          await reloadAccount();
          notify(t("passkeys.removed", { name: nameOf(removed) }));
        }}
      />
    </Panel>
  );
}

type Passkey = Answer<"getMe">["sign_in_methods"]["passkeys"][number];

interface PasskeyLineProps {
  readonly passkey: Passkey;
  readonly name: string;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}

function PasskeyLine({ passkey, name, onRename, onRemove }: PasskeyLineProps) {
  const { t } = useTranslation("account");
  return (
    <div className={classes.line}>
      <Icon name="key" />
      <div className={classes.words}>
        <Text fw={600} truncate>
          {name}
        </Text>
        {passkey.created_at !== null && (
          <Dimmed size="xs">
            {t("passkeys.since")} <ListTime at={passkey.created_at} />
          </Dimmed>
        )}
      </div>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={t("passkeys.more", { name })}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="edit" size={16} />} onClick={onRename}>
            {t("passkeys.rename")}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<Icon name="trash" size={16} />} onClick={onRemove}>
            {t("passkeys.remove")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

interface RenamePasskeyProps {
  readonly passkey: Passkey;
  readonly onDone: () => Promise<void>;
}

function RenamePasskey({ passkey, onDone }: RenamePasskeyProps) {
  const { t } = useTranslation("account");
  const form = useForm({
    start: { name: passkey.name ?? "" },
    send: async ({ name }) => {
      await callAuth("renamePasskey", { id: passkey.id, name });
      await onDone();
    },
  });
  return (
    <DialogForm {...form.props} action={t("everywhere:save")}>
      <FormProblem form={form} />
      <TextField
        {...form.field("name")}
        label={t("passkeys.name")}
        description={t("passkeys.nameWords")}
        required
        maxLength={100}
        data-autofocus
      />
    </DialogForm>
  );
}
