import { Button, Group, Loader, Progress, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { reloadAfter } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Dialog, useCloseDialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { notify } from "../../ui/notify.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { useForm } from "../../ui/use-form.tsx";
import {
  type BulkAction,
  type BulkDraft,
  type BulkOrder,
  type BulkProgress,
  type BulkSelection,
  bulkActions,
  bulkStart,
  emptyDraft,
  orderOf,
  runBulk,
  undoOf,
} from "./bulk-actions.ts";
import { BulkFields } from "./bulk-fields.tsx";

interface BulkDialogProps {
  readonly action: BulkAction | null;
  readonly opened: boolean;
  readonly selection: BulkSelection;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Shows how many licenses will change, runs the action, and reports the result. */
export function BulkDialog({ action, opened, selection, onClose, onDone }: BulkDialogProps) {
  const { t } = useTranslation("licenses");
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={action === null ? "" : t(`bulk.${action}.title`)}
      closeOnClickOutside={!isBusy}
      closeOnEscape={!isBusy}
      withCloseButton={!isBusy}
      closeButtonProps={{ "aria-label": t("everywhere:close") }}
    >
      {action !== null && <Question action={action} selection={selection} onDone={onDone} onBusy={setBusy} />}
    </Dialog>
  );
}

interface QuestionProps {
  readonly action: BulkAction;
  readonly selection: BulkSelection;
  readonly onDone: () => void;
  readonly onBusy: (isBusy: boolean) => void;
}

function Question({ action, selection, onDone, onBusy }: QuestionProps) {
  const { t } = useTranslation("licenses");
  const close = useCloseDialog();
  const withNumber = useWithNumber();
  const [typed, setTyped] = useState("");
  const { progress, run, stop } = useBulkRun({ onDone, onBusy });
  const form = useForm<BulkDraft>({
    start: emptyDraft,
    send: async (draft) => {
      const order = orderOf(action, draft, selection);
      if (order !== null) await run(order);
    },
  });
  const { isBusy } = form;
  const hasBegun = progress.matched > 0;
  const order = orderOf(action, form.values, selection);
  const trial = useTrial(order, !isBusy && !hasBegun);
  const would = order === null ? undefined : trial.data?.changed;
  const { isFinal = false, help = null } = bulkActions.find((one) => one.action === action) ?? {};
  const word = action === "delete" && would !== undefined ? t("bulk.delete.type", { count: would }) : null;
  const isKnown = would !== undefined && would > 0 && !trial.isFetching && trial.isSettled;
  const isReady = hasBegun || (isKnown && (word === null || typed === word));
  const doWords = () => {
    if (hasBegun) return t("bulk.continue");
    return would === undefined ? t(`bulk.${action}.name`) : t(`bulk.${action}.do`, withNumber(would));
  };
  return (
    <Form {...form.props}>
      <Stack>
        <Text>{t(`bulk.${action}.words`)}</Text>
        <BulkFields action={action} form={form} isDisabled={isBusy || hasBegun} />
        {help !== null && <ValidateHelp about={help} />}
        {word !== null && would !== undefined && would > 0 && !hasBegun && (
          <TextInput
            label={t("everywhere:confirm.type", { words: word })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            // It appears after the count, when the dialog has already set its initial focus.
            autoFocus
          />
        )}
        {(isBusy || hasBegun) && trial.data !== undefined && (
          <PreviousProgress done={progress.matched} all={trial.data.matched} isBusy={isBusy} />
        )}
        {!isBusy && !hasBegun && order !== null && (
          <Forecast isPending={trial.isFetching} data={trial.data} />
        )}
        <ProblemAlert error={form.error ?? (order === null ? null : trial.error)} />
        <Group justify="flex-end" gap="xs">
          {isBusy ? (
            <Button variant="default" onClick={stop}>
              {t("bulk.stop")}
            </Button>
          ) : (
            <Button variant="default" onClick={hasBegun ? onDone : close}>
              {hasBegun ? t("bulk.stopHere") : t("everywhere:cancel")}
            </Button>
          )}
          <Button
            type="submit"
            color={isFinal || action === "revoke" ? "red" : "verdigris"}
            loading={isBusy}
            disabled={!isReady}
          >
            {doWords()}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** A trial run, shortly after the last change of the input: how many licenses would be changed. */
function useTrial(order: BulkOrder | null, isEnabled: boolean) {
  const organization = useOrganization();
  // Compared as text. The reason is left out, because it does not affect the count.
  const text = JSON.stringify(order?.action === "revoke" ? { ...order, reason: null } : order);
  const [settled] = useDebouncedValue(text, 300);
  const { data, error, isFetching } = useQuery({
    queryKey: ["bulkLicenses", organization.id, settled],
    queryFn: ({ signal }) => {
      const trial = { ...(JSON.parse(settled) as BulkOrder), dry_run: true };
      return runBulk(organization.id, trial, { signal });
    },
    enabled: settled !== "null" && isEnabled,
    // Other licenses may match by the next time.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  return { data, error, isFetching, isSettled: settled === text };
}

/** Runs an action, which can be stopped and continued. Someone who leaves meanwhile is told what was changed. */
function useBulkRun({ onDone, onBusy }: Pick<QuestionProps, "onDone" | "onBusy">) {
  const { t } = useTranslation("licenses");
  const organization = useOrganization();
  const withNumber = useWithNumber();
  const [progress, setProgress] = useState<BulkProgress>(bulkStart);
  const latest = useRef(progress);
  const isStopped = useRef(false);
  const isRunning = useRef(false);
  const isGone = useRef(false);
  const notifyStopped = () => notify(t("bulk.stopped", withNumber(latest.current.changed)));
  const leave = useRef(() => {});
  leave.current = () => {
    isGone.current = true;
    isStopped.current = true;
    const { matched, isOver } = latest.current;
    // A running action reports its result when it has stopped.
    if (matched > 0 && !isOver && !isRunning.current) notifyStopped();
  };
  useEffect(() => {
    isGone.current = false;
    return () => leave.current();
  }, []);
  const step = (next: BulkProgress) => {
    latest.current = next;
    setProgress(next);
  };
  const notifyDone = (order: BulkOrder, { matched, changed }: BulkProgress) => {
    const undo = changed === matched ? undoOf(order) : null;
    const text = t(`bulk.${order.action}.done`, withNumber(changed));
    const rest = matched - changed;
    notify(
      rest === 0 ? text : `${text} ${t("bulk.unchanged", withNumber(rest))}`,
      undo === null
        ? undefined
        : async () => {
            await runBulk(organization.id, undo);
            await reloadAfter("bulkLicenses");
          },
    );
  };
  const run = async (order: BulkOrder) => {
    onBusy(true);
    isStopped.current = false;
    isRunning.current = true;
    try {
      const end = await runBulk(organization.id, order, {
        from: progress,
        step,
        isStopped: () => isStopped.current,
      });
      if (!end.isOver) return;
      notifyDone(order, end);
      onDone();
    } finally {
      isRunning.current = false;
      if (isGone.current && !latest.current.isOver) notifyStopped();
      onBusy(false);
      void reloadAfter("bulkLicenses");
    }
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { progress, run, stop };
}

/** A count, and how it is written in a text. */
function useWithNumber() {
  const { i18n } = useTranslation("licenses");
  return (count: number) => ({ count, number: count.toLocaleString(i18n.language) });
}

interface ForecastProps {
  readonly isPending: boolean;
  readonly data: BulkProgress | undefined;
}

/** The result of the dry run. */
function Forecast({ isPending, data }: ForecastProps) {
  const { t } = useTranslation("licenses");
  const withNumber = useWithNumber();
  if (isPending)
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" />
        <Text size="sm" c="dimmed">
          {t("bulk.counting")}
        </Text>
      </Group>
    );
  if (data === undefined) return null;
  const rest = data.matched - data.changed;
  // The button shows how many will change.
  if (rest === 0 && data.changed > 0) return null;
  return (
    <Text size="sm" c="dimmed" role="status">
      {data.changed === 0
        ? t("bulk.nothing")
        : `${t("bulk.would", withNumber(data.changed))} ${t("bulk.wouldKeep", withNumber(rest))}`}
    </Text>
  );
}

interface SoFarProps {
  readonly done: number;
  readonly all: number;
  readonly isBusy: boolean;
}

/** How many have been processed. */
function PreviousProgress({ done, all, isBusy }: SoFarProps) {
  const { t, i18n } = useTranslation("licenses");
  return (
    <div>
      <Progress
        value={all === 0 ? 100 : (done / all) * 100}
        animated={isBusy}
        striped={isBusy}
        aria-label={t("bulk.progress")}
      />
      <Text size="sm" c="dimmed" mt={4} className="figures" aria-live="polite">
        {t("bulk.processed", {
          done: done.toLocaleString(i18n.language),
          all: all.toLocaleString(i18n.language),
        })}
      </Text>
    </div>
  );
}
