import { Badge, Button, Group, Modal } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { reloadAccount } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ConfirmIdentity } from "./confirm-identity.tsx";
import type { ProofBody } from "./proof.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { TurnOnSecondFactor } from "./turn-on-second-factor.tsx";

export function SecondFactorPanel() {
  const { t } = useTranslation("account");
  const me = useMe();
  const [open, setOpen] = useState<"on" | "off" | "renew" | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  const turnOff = async (proof: ProofBody) => {
    await callAuth("disableSecondFactor", proof);
    await reloadAccount();
    notify(t("twoFactor.offDone"));
  };
  const renew = async (proof: ProofBody) => {
    const answer = await callAuth<{ backupCodes: string[] }>("renewRecoveryCodes", proof);
    setCodes(answer.backupCodes);
  };
  return (
    <Panel
      title={t("twoFactor.title")}
      lead={t(me.two_factor_enabled ? "twoFactor.leadOn" : "twoFactor.leadOff")}
      actions={
        <Badge variant="light" color={me.two_factor_enabled ? "verdigris" : "gray"}>
          {t(me.two_factor_enabled ? "twoFactor.on" : "twoFactor.off")}
        </Badge>
      }
    >
      <Group gap="xs">
        {me.two_factor_enabled ? (
          <>
            <Button variant="default" onClick={() => setOpen("renew")}>
              {t("twoFactor.renew")}
            </Button>
            <Button variant="light" color="red" onClick={() => setOpen("off")}>
              {t("twoFactor.turnOff")}
            </Button>
          </>
        ) : (
          <Button onClick={() => setOpen("on")}>{t("twoFactor.setUp")}</Button>
        )}
      </Group>
      <TurnOnSecondFactor opened={open === "on"} onClose={close} />
      <ConfirmIdentity
        opened={open === "off"}
        onClose={close}
        title={t("twoFactor.offTitle")}
        words={t("twoFactor.offWords")}
        action={t("twoFactor.turnOff")}
        isRemoval
        isForSecondFactor
        run={turnOff}
      />
      <ConfirmIdentity
        opened={open === "renew"}
        onClose={close}
        title={t("twoFactor.renewTitle")}
        words={t("twoFactor.renewWords")}
        action={t("twoFactor.renew")}
        isForSecondFactor
        run={renew}
      />
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
