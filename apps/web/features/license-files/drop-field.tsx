import { Button, FileButton, Text } from "@mantine/core";
import { type DragEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import classes from "./drop-field.module.css";
import { UnreadableFile } from "./peek.ts";

interface DropFieldProps {
  readonly file: File | null;
  readonly error: Error | null;
  readonly onFile: (file: File) => void;
}

/** A file, dropped or selected. */
export function DropField({ file, error, onFile }: DropFieldProps) {
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
