import type { ImportField } from "@countersign/domain/license-files/columns";
import {
  type ImportSourceId,
  importSourceIds,
  importSources,
} from "@countersign/domain/license-files/sources";
import { Button, FileButton, Group, Progress, Select, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type DragEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { reloadAfter } from "../../api/queries.ts";
import { SwitchField, TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { RadioField } from "../../ui/radio-field.tsx";
import { Section } from "../../ui/section.tsx";
import { useGuard } from "../../ui/unsaved.ts";
import { ColumnTable } from "./column-table.tsx";
import { guessColumns } from "./columns.ts";
import classes from "./drop-field.module.css";
import { type FilePreview, type ImportOptions, previewFile, UnreadableFile, upload } from "./import-file.ts";
import { ImportState } from "./import-state.tsx";

interface ImportFormProps {
  readonly productId: string;
  /** The import in the URL. While it is shown, the form is hidden but keeps its state. */
  readonly importId: string | undefined;
  readonly onStarted: (importId: string) => void;
  readonly onBack: () => void;
  readonly onAnother: () => void;
}

interface Chosen {
  readonly file: File;
  readonly preview: FilePreview;
}

type Choices = Pick<ImportOptions, "mode" | "onExisting" | "tellEvents" | "customerEmail">;

/** A file with names of the seller's own. */
const ownNames = "own";

export function ImportForm({ productId, importId, onStarted, onBack, onAnother }: ImportFormProps) {
  const { t } = useTranslation("license-files");
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [columns, setColumns] = useState<Readonly<Record<string, ImportField | null>>>({});
  const [choices, setChoices] = useState<Choices>({
    mode: "all_or_nothing",
    onExisting: "fail",
    tellEvents: false,
    customerEmail: "",
  });
  const [share, setShare] = useState(0);
  const look = useMutation({
    mutationFn: async ({ file, source }: { file: File; source?: ImportSourceId | null }) => ({
      file,
      preview: await previewFile(file, source),
    }),
    onSuccess: (next) => {
      setChosen(next);
      setColumns(next.preview.source === null ? guessColumns(next.preview.columns) : {});
    },
    onError: () => setChosen(null),
  });
  const send = useMutation({
    mutationFn: ({ isDryRun, mode = choices.mode }: { isDryRun: boolean; mode?: Choices["mode"] }) => {
      if (chosen === null) throw new Error("There is no file yet.");
      setShare(0);
      return upload(
        productId,
        chosen.file,
        chosen.preview,
        { ...choices, isDryRun, columns, mode },
        setShare,
      );
    },
    onSuccess: ({ id }) => {
      void reloadAfter("importLicenses");
      onStarted(id);
    },
  });
  useGuard(() => chosen !== null && importId === undefined && !send.isPending);
  // In the export of a service, several columns can say something about the same field.
  const isExport = chosen !== null && chosen.preview.source !== null;
  const problem = isExport ? null : duplicateField(columns);
  const hasField = isExport || Object.values(columns).some((field) => field !== null);
  const mayGo = chosen !== null && problem === null && hasField;
  const sending = send.isPending && (
    <div>
      <Progress value={share * 100} animated aria-label={t("sending")} />
      <Text size="sm" c="dimmed" mt={4} aria-live="polite">
        {t("sending")}
      </Text>
    </div>
  );
  if (importId !== undefined)
    return (
      <Stack>
        <ImportState
          productId={productId}
          importId={importId}
          canImport={mayGo && !send.isPending}
          onImport={(mode) => send.mutate({ isDryRun: false, mode })}
          {...(chosen === null ? {} : { onBack })}
          onAnother={onAnother}
        />
        {sending}
        <ProblemAlert error={send.error} />
      </Stack>
    );
  return (
    <Stack gap="md">
      <DropField file={chosen?.file ?? null} error={look.error} onFile={(file) => look.mutate({ file })} />
      {chosen !== null && (
        <>
          <Select
            label={t("source.label")}
            description={t("source.hint")}
            data={[
              { value: ownNames, label: t("source.own") },
              ...importSourceIds.map((id) => ({ value: id, label: importSources[id].name })),
            ]}
            value={chosen.preview.source ?? ownNames}
            allowDeselect={false}
            maw={420}
            onChange={(value) => {
              const source = importSourceIds.find((id) => id === value) ?? null;
              look.mutate({ file: chosen.file, source });
            }}
          />
          <Section
            title={t("columns.title")}
            note={t("columns.note", { count: chosen.preview.columns.length })}
          >
            <ColumnTable
              preview={chosen.preview}
              columns={columns}
              hasDefaultCustomer={choices.customerEmail.trim() !== ""}
              problem={problem}
              onChange={setColumns}
            />
          </Section>
          <Section title={t("options.title")}>
            <OptionFields value={choices} onChange={(part) => setChoices({ ...choices, ...part })} />
          </Section>
          {sending}
          <ProblemAlert error={send.error} />
          <Group justify="flex-end" gap="xs">
            <Button
              variant="default"
              disabled={!mayGo || send.isPending}
              onClick={() => send.mutate({ isDryRun: false })}
            >
              {t("importNow")}
            </Button>
            <Button
              disabled={!mayGo}
              loading={send.isPending}
              leftSection={<Icon name="check" size={16} />}
              onClick={() => send.mutate({ isDryRun: true })}
            >
              {t("check")}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** A field that two columns are mapped to. */
function duplicateField(columns: Record<string, ImportField | null>): ImportField | null {
  const fields = Object.values(columns).filter((field) => field !== null);
  return fields.find((field, place) => fields.indexOf(field) !== place) ?? null;
}

interface DropFieldProps {
  readonly file: File | null;
  readonly error: Error | null;
  readonly onFile: (file: File) => void;
}

/** A file, dropped or selected. */
function DropField({ file, error, onFile }: DropFieldProps) {
  const { t, i18n } = useTranslation("license-files");
  const [isOver, setOver] = useState(false);
  const reset = useRef<() => void>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped !== undefined) onFile(dropped);
  };
  const size = (bytes: number) =>
    new Intl.NumberFormat(i18n.language, {
      style: "unit",
      unit: "kilobyte",
      maximumFractionDigits: 0,
    }).format(Math.max(1, bytes / 1_000));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same from the keyboard.
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      data-small={file !== null || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={drop}
    >
      <span className={classes.icon}>
        <Icon name="upload" size={20} />
      </span>
      <div className={classes.words}>
        <Text fw={600}>{file === null ? t("drop.title") : file.name}</Text>
        <Text size="sm" c="dimmed">
          {file === null ? t("drop.words") : size(file.size)}
        </Text>
        {error !== null && (
          <Text size="sm" c="red" role="alert">
            {error instanceof UnreadableFile ? t(`unreadable.${error.reason}`) : error.message}
          </Text>
        )}
      </div>
      <FileButton
        resetRef={reset}
        accept=".csv,.tsv,.txt,.jsonl,.ndjson,.json,text/csv,application/x-ndjson"
        onChange={(next) => {
          if (next !== null) onFile(next);
          // Allows choosing the same file again after it was corrected.
          reset.current?.();
        }}
      >
        {(props) => (
          <Button variant="default" {...props}>
            {t(file === null ? "drop.choose" : "drop.other")}
          </Button>
        )}
      </FileButton>
    </div>
  );
}

interface OptionFieldsProps {
  readonly value: Choices;
  readonly onChange: (part: Partial<Choices>) => void;
}

function OptionFields({ value, onChange }: OptionFieldsProps) {
  const { t } = useTranslation("license-files");
  const space = { gap: 8, miw: 260 };
  return (
    <Stack gap="md">
      <Group align="flex-start" gap="xl" grow preventGrowOverflow={false}>
        <RadioField
          {...space}
          label={t("options.mode")}
          values={["all_or_nothing", "row_by_row"]}
          words={(mode) => t(`options.modes.${mode}`)}
          hint={(mode) => t(`options.modeHints.${mode}`)}
          value={value.mode}
          onChange={(mode) => onChange({ mode })}
        />
        <RadioField
          {...space}
          label={t("options.existing")}
          values={["fail", "skip", "update"]}
          words={(way) => t(`options.existingChoices.${way}`)}
          hint={(way) => t(`options.existingHints.${way}`)}
          value={value.onExisting}
          onChange={(onExisting) => onChange({ onExisting })}
        />
      </Group>
      <TextField
        type="email"
        label={t("options.customer")}
        description={t("options.customerHint")}
        maw={420}
        value={value.customerEmail}
        onChange={(customerEmail) => onChange({ customerEmail })}
      />
      <SwitchField
        label={t("options.events")}
        description={t("options.eventsHint")}
        value={value.tellEvents}
        onChange={(tellEvents) => onChange({ tellEvents })}
      />
    </Stack>
  );
}
