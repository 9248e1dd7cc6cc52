import { Alert, Button, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Confirm } from "../../ui/confirm.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";

interface SuspensionPanelProps {
  /** Selects the texts. */
  readonly of: "organization" | "person";
  readonly name: string;
  readonly suspendedAt: string | null;
  readonly reason: string | null;
  /** How many licenses stop working, if known. */
  readonly licenseCount?: number;
  readonly suspend: (reason: string) => Promise<unknown>;
  readonly restore: () => Promise<unknown>;
}

/** Suspends an organization or a user; the reason is shown to those affected. */
export function SuspensionPanel(props: SuspensionPanelProps) {
  const { t } = useTranslation("admin");
  const { of, name, suspendedAt } = props;
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [reason, setReason] = useState("");
  const restore = async () => {
    setBusy(true);
    try {
      await props.restore();
      notify(t("suspension.restored", { name }));
    } catch (error) {
      notifyProblem(error);
    } finally {
      setBusy(false);
    }
  };
  if (suspendedAt !== null)
    return (
      <Panel
        danger
        title={t("suspension.isSuspended")}
        lead={
          <>
            {t("suspension.since")} <Time at={suspendedAt} />
          </>
        }
        actions={
          <Button loading={isBusy} onClick={restore}>
            {t("suspension.restore")}
          </Button>
        }
      >
        <Alert color="red" icon={<Icon name="block" />}>
          {props.reason ?? t("suspension.noReason")}
        </Alert>
      </Panel>
    );
  return (
    <Panel
      danger
      title={t("suspension.title")}
      lead={t(`suspension.${of}`)}
      actions={
        <Button color="red" variant="light" onClick={() => setOpen(true)}>
          {t("suspension.do")}
        </Button>
      }
    >
      <Confirm
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t("suspension.confirm", { name })}
        action={t("suspension.do")}
        draft={reason}
        onConfirm={async () => {
          await props.suspend(reason);
          notify(t("suspension.done", { name }), props.restore);
        }}
      >
        <Stack>
          <Text>{t(`suspension.${of}`)}</Text>
          {props.licenseCount !== undefined && (
            <>
              <RefusedLicenses count={props.licenseCount} />
              <ValidateHelp about="organizationSuspended" />
            </>
          )}
          <Textarea
            label={t("suspension.reason")}
            description={t("suspension.reasonWords")}
            required
            data-autofocus
            autosize
            minRows={2}
            maxLength={1_000}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </Stack>
      </Confirm>
    </Panel>
  );
}

export function RefusedLicenses({ count }: { count: number }) {
  const { t, i18n } = useTranslation("admin");
  const number = count.toLocaleString(i18n.language);
  return <Text fw={600}>{t("suspension.rejects", { count, number })}</Text>;
}
