import { Alert, Badge, Button, Checkbox, Group, Modal, Stack, Text } from "@mantine/core";
import qrcode from "qrcode-generator";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { reloadAccount } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { Copy } from "../../ui/copy.tsx";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { useGuard } from "../../ui/unsaved.ts";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import classes from "./account.module.css";
import { ConfirmIdentity, type ProofBody, ProofFields, useProof } from "./proof.tsx";

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
        <Badge size="md" color={me.two_factor_enabled ? "verdigris" : "gray"}>
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

interface Begun {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

/** The password, then a first code from the app, then the recovery codes. */
function TurnOnSecondFactor({ opened, onClose }: { opened: boolean; onClose: () => void }) {
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
  const form = useForm({
    start: {},
    send: async () => {
      const proven = await proof.prove();
      if (proven !== null) onBegun(await callAuth<Begun>("enableSecondFactor", proven));
    },
  });
  return (
    <DialogForm {...form.props} action={t("twoFactor.next")}>
      <Text>{t("twoFactor.app")}</Text>
      <FormProblem form={form} beside={["password"]} />
      <ProofFields proof={proof} error={form.error} isFirst />
    </DialogForm>
  );
}

function ConfirmCode(props: { uri: string; onConfirmed: () => void }) {
  const { t } = useTranslation("account");
  const form = useForm({
    start: { code: "" },
    send: async ({ code }) => {
      await callAuth("verifyTotp", { code: code.replaceAll(" ", "") });
      props.onConfirmed();
      await reloadAccount();
    },
  });
  const secret = new URL(props.uri).searchParams.get("secret") ?? "";
  return (
    <DialogForm {...form.props} action={t("twoFactor.turnOn")}>
      <div className={classes.setUp}>
        <QrCode text={props.uri} label={t("twoFactor.qr")} />
        <Stack gap="sm" miw={0} w="100%">
          <Text>{t("twoFactor.scan")}</Text>
          <Stack gap={2}>
            <Dimmed>{t("twoFactor.secret")}</Dimmed>
            <Group gap={4} wrap="nowrap" align="flex-start">
              {/* In groups of four, which are easier to type. */}
              <span className="mono">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</span>
              <Copy value={secret} />
            </Group>
          </Stack>
        </Stack>
      </div>
      <FormProblem form={form} />
      <TextField
        {...form.field("code")}
        label={t("twoFactor.code")}
        required
        autoFocus
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        maw={200}
        classNames={{ input: "mono" }}
      />
    </DialogForm>
  );
}

/** Shown once, until the user confirms that they have saved them. */
function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation("account");
  const [isStored, setStored] = useState(false);
  useGuard(() => !isStored, { kind: "secret", goesWithSearch: true });
  const text = `${codes.join("\n")}\n`;
  return (
    <Stack>
      <Text>{t("codes.words")}</Text>
      <ol className={`${classes.codes} mono`}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <Group gap="xs">
        <Copy value={text} label={t("codes.copy")} />
        <Button
          variant="default"
          component="a"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${t("codes.file", { host: location.host })}\n\n${text}`)}`}
          download="countersign-recovery-codes.txt"
          leftSection={<Icon name="download" size={14} />}
        >
          {t("codes.download")}
        </Button>
      </Group>
      <Alert color="orange" icon={<Icon name="warning" />}>
        {t("codes.once")}
      </Alert>
      <Checkbox
        label={t("codes.stored")}
        checked={isStored}
        onChange={(event) => setStored(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={onDone}>
          {t("codes.done")}
        </Button>
      </Group>
    </Stack>
  );
}

/** Cameras need a light margin to find the code. */
const margin = 4;

/** Drawn as one path; black on white in both themes, for cameras. */
function QrCode({ text, label, size = 196 }: { text: string; label: string; size?: number }) {
  const { side, path } = useMemo(() => drawn(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} rx={2} fill="#fff" />
      <path d={path} fill="#0b1116" />
    </svg>
  );
}

function drawn(text: string): { side: number; path: string } {
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  let path = "";
  for (let row = 0; row < count; row++)
    for (let column = 0; column < count; column++)
      if (code.isDark(row, column)) path += `M${column + margin} ${row + margin}h1v1h-1z`;
  return { side: count + 2 * margin, path };
}
