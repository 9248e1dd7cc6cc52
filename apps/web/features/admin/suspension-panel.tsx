import { Alert, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../ui/confirm.tsx";
import { AreaField } from "../../ui/fields.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { useSending } from "../../ui/use-sending.ts";

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
  const restoring = useSending();
  const [reason, setReason] = useState("");
  const restore = () =>
    restoring.send(() =>
      props.restore().then(() => notify(t("suspension.restored", { name })), notifyProblem),
    );
  const question = useConfirm(() => ({
    title: t("suspension.confirm", { name }),
    children: (
      <Stack>
        <Text>{t(`suspension.${of}`)}</Text>
        {props.licenseCount !== undefined && (
          <>
            <RefusedLicenses count={props.licenseCount} />
            <ValidateHelp about="organizationSuspended" />
          </>
        )}
        <AreaField
          label={t("suspension.reason")}
          description={t("suspension.reasonWords")}
          required
          data-autofocus
          maxLength={1_000}
          value={reason}
          onChange={setReason}
        />
      </Stack>
    ),
    action: t("suspension.do"),
    draft: reason,
    onConfirm: async () => {
      await props.suspend(reason);
      notify(t("suspension.done", { name }), props.restore);
    },
  }));
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
          <Button loading={restoring.isBusy} onClick={restore}>
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
        <Button color="red" variant="light" onClick={() => question.ask()}>
          {t("suspension.do")}
        </Button>
      }
    >
      {question.dialog}
    </Panel>
  );
}

export function RefusedLicenses({ count }: { count: number }) {
  const { t, i18n } = useTranslation("admin");
  const number = count.toLocaleString(i18n.language);
  return <Text fw={600}>{t("suspension.rejects", { count, number })}</Text>;
}
