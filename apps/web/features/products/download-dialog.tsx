import { parseVersion } from "@countersign/domain/versions/version";
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { type Download, type DownloadDraft, downloadOf, draftOf } from "./downloads.ts";

interface DownloadDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The download to edit; null for a new one. */
  readonly download: Download | null;
  /** Its place in the list that is saved: the server names invalid fields by it. */
  readonly position: number;
  readonly onSave: (download: Download) => Promise<void>;
}

/** Adds or edits a download. */
export function DownloadDialog(props: DownloadDialogProps) {
  const { t } = useTranslation("products");
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t(props.download === null ? "downloads.add" : "downloads.edit")}
    >
      {props.opened && <DownloadForm {...props} />}
    </Dialog>
  );
}

function DownloadForm({ download, position, onSave, onClose }: DownloadDialogProps) {
  const { t } = useTranslation("products");
  const [draft, setDraft] = useState(() => draftOf(download));
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const version = draft.min_version.trim();
  const isUnreadable = version !== "" && parseVersion(version) === null;
  const submit = async () => {
    setBusy(true);
    setError(null);
    try {
      await onSave(downloadOf(draft));
      onClose();
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  const place = (name: keyof DownloadDraft) => `data.${position}.${name}`;
  const field = (name: keyof DownloadDraft) => ({
    value: draft[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget;
      setDraft((before) => ({ ...before, [name]: value }));
    },
    error: fieldError(error, place(name)),
    autoComplete: "off",
  });
  return (
    <DialogForm
      onSubmit={submit}
      typed={draft}
      error={error}
      isBusy={isBusy}
      action={t(download === null ? "downloads.addDo" : "everywhere:save")}
    >
      <ProblemAlert
        error={error}
        beside={(["title", "url", "min_version", "checksum"] as const).map(place)}
      />
      <TextInput
        label={t("downloads.name")}
        description={t("downloads.nameHint")}
        required
        maxLength={100}
        {...field("title")}
        data-autofocus
      />
      <TextInput
        label={t("downloads.url")}
        description={t("downloads.urlHint")}
        placeholder="https://example.com/setup.exe"
        required
        maxLength={2_000}
        inputMode="url"
        spellCheck={false}
        {...field("url")}
      />
      <TextInput
        label={t("downloads.minVersion")}
        description={t("downloads.minVersionHint")}
        placeholder="2.1.0"
        maxLength={64}
        spellCheck={false}
        {...field("min_version")}
        data-unreadable={isUnreadable || undefined}
        error={isUnreadable ? t("downloads.unreadable") : fieldError(error, place("min_version"))}
      />
      <TextInput
        label={t("downloads.checksum")}
        description={t("downloads.checksumHint")}
        maxLength={200}
        spellCheck={false}
        classNames={{ input: "mono" }}
        {...field("checksum")}
      />
    </DialogForm>
  );
}
