import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
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
import {
  type BulkAction,
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
import { Forecast, PreviousProgress } from "./bulk-forecast.tsx";

interface BulkDialogProps {
  readonly action: BulkAction | null;
  readonly opened: boolean;
  readonly selection: BulkSelection;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Shows how many licenses will change, runs the action, and reports the result. */
export function BulkDialog({ action, ...rest }: BulkDialogProps) {
  const { t } = useTranslation("licenses");
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog
      opened={rest.opened}
      onClose={rest.onClose}
      title={action === null ? "" : t(`bulk.${action}.title`)}
      closeOnClickOutside={!isBusy}
      closeOnEscape={!isBusy}
      withCloseButton={!isBusy}
      closeButtonProps={{ "aria-label": t("everywhere:close") }}
    >
      {action !== null && <Question action={action} {...rest} isBusy={isBusy} setBusy={setBusy} />}
    </Dialog>
  );
}

interface QuestionProps extends BulkDialogProps {
  readonly action: BulkAction;
  readonly isBusy: boolean;
  readonly setBusy: (isBusy: boolean) => void;
}

function Question({ action, selection, onDone, isBusy, setBusy }: QuestionProps) {
  const close = useCloseDialog();
  const { t, i18n } = useTranslation("licenses");
  const organization = useOrganization();
  const [draft, setDraft] = useState(emptyDraft);
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<Error | null>(null);
  const [progress, setProgress] = useState<BulkProgress>(bulkStart);
  const isStopped = useRef(false);
  const order = orderOf(action, draft, selection);
  // Compared as text. The reason is left out, because it does not affect the count.
  const asked = JSON.stringify(orderOf(action, { ...draft, reason: "" }, selection));
  const [settled] = useDebouncedValue(asked, 300);
  const dry = useQuery({
    queryKey: ["bulkLicenses", organization.id, settled],
    queryFn: ({ signal }) => {
      const trial = { ...(JSON.parse(settled) as BulkOrder), dry_run: true };
      return runBulk(organization.id, trial, bulkStart(), undefined, undefined, signal);
    },
    enabled: settled !== "null" && !isBusy && progress.matched === 0,
    // Other licenses may match by the next time.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const number = (count: number) => ({ count, number: count.toLocaleString(i18n.language) });
  const would = order === null ? undefined : dry.data?.changed;
  const { isFinal = false, help = null } = bulkActions.find((one) => one.action === action) ?? {};
  const word = action === "delete" && would !== undefined ? t("bulk.delete.type", { count: would }) : null;
  const hasBegun = progress.matched > 0;

  const latest = useRef(progress);
  const step = (next: BulkProgress) => {
    latest.current = next;
    setProgress(next);
  };
  const tellStopped = () => notify(t("bulk.stopped", number(latest.current.changed)));
  const isRunning = useRef(false);
  const isGone = useRef(false);
  const wentAway = useRef(() => {});
  wentAway.current = () => {
    isGone.current = true;
    isStopped.current = true;
    const { matched, isOver } = latest.current;
    // A running action reports its result when it has stopped.
    if (matched > 0 && !isOver && !isRunning.current) tellStopped();
  };
  useEffect(() => {
    isGone.current = false;
    return () => wentAway.current();
  }, []);

  const run = async () => {
    if (order === null) return;
    setBusy(true);
    setError(null);
    isStopped.current = false;
    isRunning.current = true;
    try {
      const end = await runBulk(organization.id, order, progress, step, () => isStopped.current);
      if (!end.isOver) return;
      const undo = end.changed === end.matched ? undoOf(order) : null;
      const words = t(`bulk.${action}.done`, number(end.changed));
      const rest = end.matched - end.changed;
      notify(
        rest === 0 ? words : `${words} ${t("bulk.unchanged", number(rest))}`,
        undo === null
          ? undefined
          : async () => {
              await runBulk(organization.id, undo, bulkStart());
              await reloadAfter("bulkLicenses");
            },
      );
      onDone();
    } catch (problem) {
      setError(problem as Error);
    } finally {
      isRunning.current = false;
      if (isGone.current && !latest.current.isOver) tellStopped();
      setBusy(false);
      void reloadAfter("bulkLicenses");
    }
  };

  return (
    <Form onSubmit={run} typed={draft} error={error}>
      <Stack>
        <Text>{t(`bulk.${action}.words`)}</Text>
        <BulkFields
          action={action}
          draft={draft}
          error={error}
          isDisabled={isBusy || hasBegun}
          onChange={setDraft}
        />
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
        {(isBusy || hasBegun) && dry.data !== undefined && (
          <PreviousProgress done={progress.matched} all={dry.data.matched} isBusy={isBusy} />
        )}
        {!isBusy && !hasBegun && order !== null && <Forecast isPending={dry.isFetching} data={dry.data} />}
        <ProblemAlert error={error ?? (order === null ? null : dry.error)} />
        <Group justify="flex-end" gap="xs">
          {isBusy ? (
            <Button
              variant="default"
              onClick={() => {
                isStopped.current = true;
              }}
            >
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
            disabled={
              !hasBegun &&
              (would === undefined ||
                would === 0 ||
                dry.isFetching ||
                settled !== asked ||
                (word !== null && typed !== word))
            }
          >
            {hasBegun
              ? t("bulk.continue")
              : would === undefined
                ? t(`bulk.${action}.name`)
                : t(`bulk.${action}.do`, number(would))}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
