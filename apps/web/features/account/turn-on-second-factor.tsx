import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { reloadAccount } from "../../api/queries.ts";
import { Copy } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import classes from "./account.module.css";
import { ProofFields, useProof } from "./proof.tsx";
import { QrCode } from "./qr-code.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

interface Begun {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

/** The password, then a first code from the app, then the recovery codes. */
export function TurnOnSecondFactor({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("account");
  const [step, setStep] = useState<"begin" | "confirm" | "codes">("begin");
  const [begun, setBegun] = useState<Begun | null>(null);
  const close = () => {
    onClose();
    setStep("begin");
    setBegun(null);
  };
  const mustStay = step === "codes";
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={t(step === "codes" ? "codes.title" : "twoFactor.setUp")}
      closeOnClickOutside={!mustStay}
      closeOnEscape={!mustStay}
      withCloseButton={!mustStay}
      size="lg"
    >
      {opened && step === "begin" && (
        <Begin
          onBegun={(answer) => {
            setBegun(answer);
            setStep("confirm");
          }}
        />
      )}
      {begun !== null && step === "confirm" && (
        <ConfirmCode uri={begun.totpURI} onConfirmed={() => setStep("codes")} />
      )}
      {begun !== null && step === "codes" && <RecoveryCodes codes={begun.backupCodes} onDone={close} />}
    </Dialog>
  );
}

function Begin({ onBegun }: { onBegun: (answer: Begun) => void }) {
  const { t } = useTranslation("account");
  const proof = useProof(true);
  const begin = useMutation({
    mutationFn: async () => {
      const proven = await proof.prove();
      if (proven !== null) onBegun(await callAuth<Begun>("enableSecondFactor", proven));
    },
  });
  return (
    <DialogForm
      onSubmit={() => begin.mutate()}
      typed={null}
      error={begin.error}
      isBusy={begin.isPending}
      action={t("twoFactor.next")}
    >
      <Text>{t("twoFactor.app")}</Text>
      <ProblemAlert error={begin.error} beside={["password"]} />
      <ProofFields proof={proof} error={begin.error} isFirst />
    </DialogForm>
  );
}

function ConfirmCode(props: { uri: string; onConfirmed: () => void }) {
  const { t } = useTranslation("account");
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: () => callAuth("verifyTotp", { code: code.replaceAll(" ", "") }),
    onSuccess: async () => {
      props.onConfirmed();
      await reloadAccount();
    },
  });
  const secret = new URL(props.uri).searchParams.get("secret") ?? "";
  return (
    <DialogForm
      onSubmit={() => confirm.mutate()}
      typed={code}
      error={confirm.error}
      isBusy={confirm.isPending}
      action={t("twoFactor.turnOn")}
    >
      <div className={classes.setUp}>
        <QrCode text={props.uri} label={t("twoFactor.qr")} />
        <Stack gap="sm" miw={0} w="100%">
          <Text>{t("twoFactor.scan")}</Text>
          <Stack gap={2}>
            <Text size="sm" c="dimmed">
              {t("twoFactor.secret")}
            </Text>
            <Group gap={4} wrap="nowrap" align="flex-start">
              {/* In groups of four, which are easier to type. */}
              <span className="mono">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</span>
              <Copy value={secret} />
            </Group>
          </Stack>
        </Stack>
      </div>
      <ProblemAlert error={confirm.error} beside={["code"]} />
      <TextInput
        label={t("twoFactor.code")}
        required
        autoFocus
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        maw={200}
        classNames={{ input: "mono" }}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={fieldError(confirm.error, "code")}
      />
    </DialogForm>
  );
}
