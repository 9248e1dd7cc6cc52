import type { ImportField } from "@countersign/domain/license-files/columns";
import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { reloadAfter } from "../../api/queries.ts";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { useGuard } from "../../ui/unsaved.ts";
import { ColumnTable } from "./column-table.tsx";
import { DropField } from "./drop-field.tsx";
import { guessColumns } from "./guess.ts";
import { ImportState } from "./import-state.tsx";
import { OptionFields } from "./option-fields.tsx";
import { type Peek, peek } from "./peek.ts";
import { type ImportOptions, upload } from "./upload.ts";

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
  readonly peek: Peek;
}

type Choices = Pick<ImportOptions, "mode" | "onExisting" | "tellEvents">;

export function ImportForm({ productId, importId, onStarted, onBack, onAnother }: ImportFormProps) {
  const { t } = useTranslation("license-files");
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [columns, setColumns] = useState<Record<string, ImportField | null>>({});
  const [choices, setChoices] = useState<Choices>({
    mode: "all_or_nothing",
    onExisting: "fail",
    tellEvents: false,
  });
  const [share, setShare] = useState(0);
  const look = useMutation({
    mutationFn: async (file: File) => ({ file, peek: await peek(file) }),
    onSuccess: (next) => {
      setChosen(next);
      setColumns(guessColumns(next.peek.columns));
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
        chosen.peek.format,
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
  const problem = twiceSaid(columns);
  const mayGo = chosen !== null && problem === null && Object.values(columns).some((field) => field !== null);
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
      <DropField file={chosen?.file ?? null} error={look.error} onFile={(file) => look.mutate(file)} />
      {chosen !== null && (
        <>
          <Section title={t("columns.title")} note={t("columns.note", { count: chosen.peek.columns.length })}>
            <ColumnTable peek={chosen.peek} columns={columns} problem={problem} onChange={setColumns} />
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
function twiceSaid(columns: Record<string, ImportField | null>): ImportField | null {
  const fields = Object.values(columns).filter((field) => field !== null);
  return fields.find((field, place) => fields.indexOf(field) !== place) ?? null;
}
