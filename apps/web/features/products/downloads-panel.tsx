import { parseVersion } from "@countersign/domain/versions/version";
import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Group,
  Skeleton,
  Text,
  Tooltip,
  VisuallyHidden,
} from "@mantine/core";
import { useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";

import { Empty } from "../../ui/empty.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import {
  type Download,
  type DownloadDraft,
  downloadOf,
  draftOf,
  isSame,
  maxDownloads,
  moved,
} from "./downloads.ts";
import classes from "./downloads-panel.module.css";
import type { Product } from "./frame/use-product.ts";
import { useDownloads } from "./use-downloads.ts";

interface DownloadsProps {
  readonly product: Product;
  readonly mayManage: boolean;
}

/** The links that customers find next to their license. Each change is saved immediately. */
export function Downloads({ product, mayManage }: DownloadsProps) {
  const { t } = useTranslation("products");
  const { downloads, error, save } = useDownloads(product.id);
  /** The form, with the download to edit or null for a new one. */
  const [form, setForm] = useState<{ readonly download: Download | null } | null>(null);
  const [news, setNews] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const keepFocus = useRef<{ position: number; by: -1 | 1 } | null>(null);
  const latest = useRef(downloads);
  latest.current = downloads;
  // The button moves with its row, so that the key can be pressed again.
  useLayoutEffect(() => {
    const { current: wanted } = keepFocus;
    if (wanted === null) return;
    keepFocus.current = null;
    const row = list.current?.children[wanted.position];
    const [up, down] = row?.querySelectorAll<HTMLButtonElement>("button[data-move]") ?? [];
    const [first, second] = wanted.by === -1 ? [up, down] : [down, up];
    (first?.disabled ? second : first)?.focus();
  });
  if (downloads === undefined)
    return (
      <Panel title={t("downloads.title")} lead={t("downloads.lead")}>
        <ProblemAlert error={error} />
        {error === null && <Skeleton height={48} aria-hidden="true" />}
      </Panel>
    );
  // Someone else may have moved it meanwhile. If it was removed, saving adds it again.
  const edited = downloads.findIndex((one) => form?.download != null && isSame([one], [form.download]));
  const formPosition = edited === -1 ? downloads.length : edited;
  const isFull = downloads.length >= maxDownloads;
  const move = (position: number, by: -1 | 1) => {
    const { title } = downloads[position] as Download;
    keepFocus.current = { position: position + by, by };
    setNews(t("downloads.moved", { title, position: position + by + 1, count: downloads.length }));
    save(moved(downloads, position, by)).catch(notifyProblem);
  };
  const remove = async (position: number) => {
    const removed = downloads[position] as Download;
    await save(downloads.toSpliced(position, 1));
    notify(t("downloads.removed", { title: removed.title }), () =>
      save((latest.current ?? []).toSpliced(position, 0, removed)),
    );
  };
  const add = mayManage && !isFull && (
    <Button
      variant={downloads.length === 0 ? "filled" : "default"}
      leftSection={<Icon name="plus" size={16} />}
      onClick={() => setForm({ download: null })}
    >
      {t("downloads.add")}
    </Button>
  );
  return (
    <Panel
      title={t("downloads.title")}
      lead={
        <>
          {t("downloads.lead")}
          {!product.portal_enabled && (
            <Text component="span" inherit c="var(--mantine-color-text)">
              {" "}
              {t("noEffect.portalOff")}
            </Text>
          )}
        </>
      }
      {...(downloads.length > 0 ? { actions: add } : {})}
    >
      <ProblemAlert error={error} />
      {isFull && mayManage && (
        <Alert color="gray" icon={<Icon name="info" />}>
          {t("downloads.full", { most: maxDownloads })}
        </Alert>
      )}
      {downloads.length === 0 ? (
        <Empty icon="download" title={t("downloads.empty.title")} action={add}>
          {t("downloads.empty.words")}
        </Empty>
      ) : (
        <ol ref={list} className={classes.list}>
          {downloads.map((download, position) => (
            // Rows are identified by their position: IDs change with every save.
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no state of its own.
            <li key={position} className={classes.row}>
              <Words download={download} />
              {mayManage && (
                <Group gap={2} wrap="nowrap" className={classes.actions ?? ""}>
                  <Act
                    icon="up"
                    label={t("downloads.moveUp", { title: download.title })}
                    isDisabled={position === 0}
                    isMove
                    do={() => move(position, -1)}
                  />
                  <Act
                    icon="down"
                    label={t("downloads.moveDown", { title: download.title })}
                    isDisabled={position === downloads.length - 1}
                    isMove
                    do={() => move(position, 1)}
                  />
                  <Act
                    icon="edit"
                    label={t("downloads.change", { title: download.title })}
                    do={() => setForm({ download })}
                  />
                  <Act
                    icon="close"
                    label={t("downloads.remove", { title: download.title })}
                    do={() => void remove(position).catch(notifyProblem)}
                  />
                </Group>
              )}
            </li>
          ))}
        </ol>
      )}
      <VisuallyHidden role="status">{news}</VisuallyHidden>
      <DownloadDialog
        opened={form !== null}
        onClose={() => setForm(null)}
        download={form?.download ?? null}
        position={formPosition}
        onSave={async (download) => {
          await save(downloads.toSpliced(formPosition, 1, download));
          const words = form?.download === null ? "downloads.added" : "downloads.saved";
          notify(t(words, { title: download.title }));
        }}
      />
    </Panel>
  );
}

function Words({ download }: { download: Download }) {
  const { t } = useTranslation("products");
  const facts = [
    download.min_version !== null && t("downloads.fromVersion", { version: download.min_version }),
    download.checksum !== null && t("downloads.checksumIs", { checksum: download.checksum }),
  ].filter((words) => words !== false);
  return (
    <div className={classes.words}>
      <Text fw={600}>{download.title}</Text>
      <Anchor href={download.url} target="_blank" rel="noopener noreferrer" size="sm">
        {download.url}
      </Anchor>
      {facts.map((words) => (
        <Text key={words} size="sm" c="dimmed">
          {words}
        </Text>
      ))}
    </div>
  );
}

interface ActProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly isMove?: boolean;
  readonly do: () => void;
}

function Act({ icon, label, isDisabled = false, isMove = false, do: act }: ActProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.act ?? ""}
        aria-label={label}
        disabled={isDisabled}
        data-move={isMove || undefined}
        onClick={act}
      >
        <Icon name={icon} size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

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
function DownloadDialog(props: DownloadDialogProps) {
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
