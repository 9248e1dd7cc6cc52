import { parseVersion } from "@countersign/domain/versions/version";
import { useTranslation } from "react-i18next";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
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
  const form = useForm({
    start: draftOf(download),
    send: async (draft) => {
      await onSave(downloadOf(draft));
      onClose();
    },
  });
  const version = form.values.min_version.trim();
  const isUnreadable = version !== "" && parseVersion(version) === null;
  const place = (name: string) => `data.${position}.${name}`;
  const field = (name: keyof DownloadDraft) => ({
    ...form.field(name),
    error: fieldError(form.error, place(name)),
    autoComplete: "off",
  });
  return (
    <DialogForm {...form.props} action={t(download === null ? "downloads.addDo" : "everywhere:save")}>
      <FormProblem form={form} beside={Object.keys(form.values).map(place)} />
      <TextField
        {...field("title")}
        label={t("downloads.name")}
        description={t("downloads.nameHint")}
        required
        maxLength={100}
        data-autofocus
      />
      <TextField
        {...field("url")}
        label={t("downloads.url")}
        description={t("downloads.urlHint")}
        placeholder="https://example.com/setup.exe"
        required
        maxLength={2_000}
        inputMode="url"
        spellCheck={false}
      />
      <TextField
        {...field("min_version")}
        label={t("downloads.minVersion")}
        description={t("downloads.minVersionHint")}
        placeholder="2.1.0"
        maxLength={64}
        spellCheck={false}
        {...(isUnreadable ? { error: t("downloads.unreadable"), "data-unreadable": true } : {})}
      />
      <TextField
        {...field("checksum")}
        label={t("downloads.checksum")}
        description={t("downloads.checksumHint")}
        maxLength={200}
        spellCheck={false}
        classNames={{ input: "mono" }}
      />
    </DialogForm>
  );
}
