import type { FieldErrorBody } from "@countersign/contract/problems/declare";
import { Alert, Button, Checkbox, Group, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, reloadAfter, useChange } from "../../api/queries.ts";
import { useProblemTexts } from "../../i18n/problem-texts.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoButton } from "../../ui/links.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./import-state.module.css";
import { RowErrors } from "./row-errors.tsx";

type Import = Answer<"getLicenseImport">;

interface ImportStateProps {
  readonly productId: string;
  readonly importId: string;
  /** Whether the file is still loaded, so that it can be imported after a dry run. */
  readonly canImport: boolean;
  readonly onImport: (mode: Import["mode"]) => void;
  /** Returns to the file and its column mapping. */
  readonly onBack?: () => void;
  readonly onAnother: () => void;
}

const pollMs = 700;
const ends: readonly Import["state"][] = ["finished", "failed", "cancelled", "undone"];
export const isOver = ({ state }: Pick<Import, "state">) => ends.includes(state);

/** One import: its progress, its result and its invalid rows. */
export function ImportState(props: ImportStateProps) {
  const { productId, importId } = props;
  const { t } = useTranslation("license-files");
  const query = useQuery({
    ...ask("getLicenseImport", { params: { product_id: productId, import_id: importId } }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isOver(data) ? false : pollMs),
  });
  const state = query.data?.state;
  // The license list shows the imported licenses.
  useEffect(() => {
    if (state === undefined || !isOver({ state })) return;
    void reloadAfter("importLicenses");
  }, [state]);
  if (query.data === undefined)
    return query.error === null ? (
      <Skeleton height={180} radius="lg" />
    ) : (
      <ProblemAlert error={query.error} />
    );
  const job = query.data;
  return (
    <>
      <Section
        title={t(job.dry_run ? "state.check" : "state.import")}
        note={
          <>
            {t(`states.${job.state}`)} · {job.file_name !== null && `${job.file_name} · `}
            <Time at={job.created_at} /> · {job.created_by}
          </>
        }
      >
        <Stack>
          {isOver(job) ? <Outcome job={job} /> : <Running job={job} />}
          {!isOver(job) && <CancelImport job={job} />}
          {isOver(job) && <NextSteps job={job} {...props} />}
        </Stack>
      </Section>
      {job.errors.length > 0 && job.state !== "undone" && <RowErrors job={job} />}
    </>
  );
}

function Running({ job }: { job: Import }) {
  const { t, i18n } = useTranslation("license-files");
  const number = (count: number) => count.toLocaleString(i18n.language);
  if (job.undo !== null)
    return <Text aria-live="polite">{t("undo.running", { number: number(job.undo.deleted) })}</Text>;
  // During the check, only bytes are counted; the number of rows is known afterwards.
  const share = job.rows_total
    ? job.rows_done / job.rows_total
    : job.bytes_done / Math.max(1, job.bytes_total);
  return (
    <div>
      <Progress value={share * 100} animated striped size="lg" aria-label={t("state.progress")} />
      <Text size="sm" c="dimmed" mt={6} className="figures" aria-live="polite">
        {job.rows_total
          ? t("state.rowsOf", { done: number(job.rows_done), all: number(job.rows_total) })
          : t("state.rows", { count: job.rows_done, number: number(job.rows_done) })}{" "}
        {t("state.canLeave")}
      </Text>
    </div>
  );
}

function Outcome({ job }: { job: Import }) {
  const { t, i18n } = useTranslation("license-files");
  const { failureText, fieldText } = useProblemTexts();
  const fileError = fileErrorOf(job.failure);
  return (
    <>
      <dl className={classes.figures} aria-label={t("state.result")}>
        {(["created", "updated", "skipped", "failed"] as const).map((figure) => (
          <div key={figure} data-bad={(figure === "failed" && job.failed > 0) || undefined}>
            <dt>{t(`${job.dry_run ? "would" : "done"}.${figure}`)}</dt>
            <dd>{job[figure].toLocaleString(i18n.language)}</dd>
          </div>
        ))}
      </dl>
      {job.state === "cancelled" && <Text>{t("state.cancelled")}</Text>}
      {job.undo !== null && (
        <Text>
          {t("undo.outcome", {
            deleted: job.undo.deleted.toLocaleString(i18n.language),
            restored: job.undo.restored.toLocaleString(i18n.language),
            kept: job.undo.kept.toLocaleString(i18n.language),
            who: job.undo.requested_by,
          })}
        </Text>
      )}
      {job.failure !== null && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert">
          {fileError === null ? failureText(job.failure) : fieldText(fileError)}
        </Alert>
      )}
      {job.failure === null && job.dry_run && (
        <Text>{t(job.failed === 0 ? "state.noErrors" : `state.errors.${job.mode}`)}</Text>
      )}
    </>
  );
}

/** What is wrong with the file as a whole says enough by itself. */
function fileErrorOf(failure: Import["failure"]): FieldErrorBody | null {
  return failure?.code === "import_file_invalid" ? (failure.params.error as FieldErrorBody) : null;
}

function NextSteps({ job, canImport, onImport, onBack, onAnother }: ImportStateProps & { job: Import }) {
  const { t, i18n } = useTranslation("license-files");
  const { slug } = useOrganization();
  const right = job.created + job.updated;
  const canGoOn = job.dry_run && canImport && job.state === "finished" && right > 0;
  return (
    <Group gap="xs">
      {canGoOn &&
        (job.failed === 0 || job.mode === "row_by_row" ? (
          <Button onClick={() => onImport(job.mode)}>{t("state.importNow")}</Button>
        ) : (
          <Button onClick={() => onImport("row_by_row")}>
            {t("state.importValid", { count: right, number: right.toLocaleString(i18n.language) })}
          </Button>
        ))}
      {onBack !== undefined && (job.dry_run || job.state === "failed") && (
        <Button variant="default" onClick={onBack}>
          {t("state.back")}
        </Button>
      )}
      {!job.dry_run && job.state === "finished" && (
        <GoButton to={paths.licenses(slug, { product_id: job.product_id })}>
          {t("state.goToLicenses")}
        </GoButton>
      )}
      <Button variant="default" onClick={onAnother}>
        {t("state.another")}
      </Button>
      {job.undo_until !== null && <UndoImport job={job} />}
    </Group>
  );
}

/** Stops a running import. Rows that are already imported stay, so there is no confirmation. */
function CancelImport({ job }: { job: Import }) {
  const { t } = useTranslation("license-files");
  const cancel = useChange("cancelLicenseImport");
  if (job.state === "undoing" || job.state === "receiving") return null;
  return (
    <>
      <ProblemAlert error={cancel.error} />
      <Group gap="xs">
        <Button
          variant="default"
          loading={cancel.isPending || cancel.isSuccess}
          onClick={() => cancel.mutate({ params: { product_id: job.product_id, import_id: job.id } })}
        >
          {t(job.dry_run ? "cancelCheck" : "cancelImport")}
        </Button>
      </Group>
    </>
  );
}

/** Undoes an import, after showing the effects. */
function UndoImport({ job }: { job: Import }) {
  const { t, i18n } = useTranslation("license-files");
  const may = useMay();
  const [opened, setOpened] = useState(false);
  const [deleteUsed, setDeleteUsed] = useState(false);
  const params = { product_id: job.product_id, import_id: job.id };
  const undo = useChange("undoLicenseImport");
  const forecast = useQuery({
    ...ask("forecastImportUndo", { params }),
    // Once the import is being undone, a forecast would be refused.
    enabled: opened && !undo.isPending && !undo.isSuccess,
    gcTime: 0,
    staleTime: 0,
  });
  if (!may("licenses:delete") || (job.updated > 0 && !(may("licenses:update") && may("licenses:revoke"))))
    return null;
  const counts = forecast.data;
  const withNumber = (count: number) => ({ count, number: count.toLocaleString(i18n.language) });
  const deleted = counts === undefined ? 0 : counts.created - (deleteUsed ? 0 : counts.used);
  const restored = counts === undefined ? 0 : counts.updated - counts.changed;
  return (
    <>
      <Button variant="default" c="red" onClick={() => setOpened(true)}>
        {t("undo.open")}
      </Button>
      <Confirm
        opened={opened}
        onClose={() => setOpened(false)}
        title={t("undo.title")}
        action={t("undo.do")}
        isIdle={counts === undefined || deleted + restored === 0}
        onConfirm={() => undo.mutateAsync({ params, body: { delete_used: deleteUsed } })}
      >
        {counts === undefined ? (
          forecast.error === null ? (
            <Skeleton height={60} />
          ) : (
            <ProblemAlert error={forecast.error} />
          )
        ) : (
          <Stack gap="xs">
            {counts.created > 0 && <Text>{t("undo.deletes", withNumber(deleted))}</Text>}
            {counts.updated > 0 && <Text>{t("undo.restores", withNumber(restored))}</Text>}
            {counts.changed > 0 && <Text>{t("undo.changed", withNumber(counts.changed))}</Text>}
            {counts.used > 0 && (
              <Checkbox
                label={t("undo.deleteUsed", withNumber(counts.used))}
                description={t("undo.deleteUsedHint")}
                checked={deleteUsed}
                onChange={(event) => setDeleteUsed(event.currentTarget.checked)}
              />
            )}
            <Text c="dimmed" size="sm">
              {t("undo.customersStay")}
            </Text>
          </Stack>
        )}
      </Confirm>
    </>
  );
}
