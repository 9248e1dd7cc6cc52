import { Badge, Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { useMe } from "../../app/here.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Panel } from "../../ui/panel.tsx";
import { tell } from "../../ui/tell.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { TurnOnSecondFactor } from "./turn-on-second-factor.tsx";

export function SecondFactorPanel() {
  const { t } = useTranslation("account");
  const me = useMe();
  const queries = useQueryClient();
  const [open, setOpen] = useState<"on" | "off" | "renew" | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [password, setPassword] = useState("");
  const hasPassword = me.sign_in_methods.password;
  const body = hasPassword ? { password } : {};
  const close = () => {
    setOpen(null);
    setPassword("");
  };
  const turnOff = async () => {
    await callAuth("disableSecondFactor", body);
    await queries.invalidateQueries({ queryKey: ["getMe"] });
    tell(t("factor.offDone"));
  };
  const renew = async () => {
    const answer = await callAuth<{ backupCodes: string[] }>("renewRecoveryCodes", body);
    setCodes(answer.backupCodes);
  };
  const askPassword = hasPassword && (
    <PasswordInput
      label={t("password.yours")}
      required
      data-autofocus
      autoComplete="current-password"
      value={password}
      onChange={(event) => setPassword(event.currentTarget.value)}
    />
  );
  return (
    <Panel
      title={t("factor.title")}
      lead={t(me.two_factor_enabled ? "factor.leadOn" : "factor.leadOff")}
      actions={
        <Badge variant="light" color={me.two_factor_enabled ? "verdigris" : "gray"}>
          {t(me.two_factor_enabled ? "factor.on" : "factor.off")}
        </Badge>
      }
    >
      <Group gap="xs">
        {me.two_factor_enabled ? (
          <>
            <Button variant="default" onClick={() => setOpen("renew")}>
              {t("factor.renew")}
            </Button>
            <Button variant="light" color="red" onClick={() => setOpen("off")}>
              {t("factor.turnOff")}
            </Button>
          </>
        ) : (
          <Button onClick={() => setOpen("on")}>{t("factor.setUp")}</Button>
        )}
      </Group>
      <TurnOnSecondFactor opened={open === "on"} onClose={close} />
      <Confirm
        opened={open === "off"}
        onClose={close}
        title={t("factor.offTitle")}
        deed={t("factor.turnOff")}
        onConfirm={turnOff}
      >
        <Stack>
          <Text>{t("factor.offWords")}</Text>
          {askPassword}
        </Stack>
      </Confirm>
      <Confirm
        opened={open === "renew"}
        onClose={close}
        title={t("factor.renewTitle")}
        deed={t("factor.renew")}
        harmless
        onConfirm={renew}
      >
        <Stack>
          <Text>{t("factor.renewWords")}</Text>
          {askPassword}
        </Stack>
      </Confirm>
      <Modal
        opened={codes !== null}
        onClose={() => setCodes(null)}
        title={t("codes.title")}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        {codes !== null && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      </Modal>
    </Panel>
  );
}
