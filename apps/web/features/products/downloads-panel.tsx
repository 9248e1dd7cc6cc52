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
import { Empty } from "../../ui/empty.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import { DownloadDialog } from "./download-dialog.tsx";
import { type Download, isSame, maxDownloads, moved, useDownloads } from "./downloads.ts";
import classes from "./downloads-panel.module.css";
import type { Product } from "./frame/use-product.ts";

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
  const latest = useRef(downloads);
  latest.current = downloads;
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
        <DownloadList
          downloads={downloads}
          mayManage={mayManage}
          onMove={(position, by) => save(moved(downloads, position, by)).catch(notifyProblem)}
          onEdit={(download) => setForm({ download })}
          onRemove={(position) => remove(position).catch(notifyProblem)}
        />
      )}
      <DownloadDialog
        opened={form !== null}
        onClose={() => setForm(null)}
        download={form?.download ?? null}
        position={formPosition}
        onSave={async (download) => {
          await save(downloads.toSpliced(formPosition, 1, download));
          const news = form?.download === null ? "downloads.added" : "downloads.saved";
          notify(t(news, { title: download.title }));
        }}
      />
    </Panel>
  );
}

interface DownloadListProps {
  readonly downloads: readonly Download[];
  readonly mayManage: boolean;
  readonly onMove: (position: number, by: -1 | 1) => unknown;
  readonly onEdit: (download: Download) => void;
  readonly onRemove: (position: number) => unknown;
}

function DownloadList({ downloads, mayManage, onMove, onEdit, onRemove }: DownloadListProps) {
  const { t } = useTranslation("products");
  const [news, setNews] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const keepFocus = useRef<{ position: number; by: -1 | 1 } | null>(null);
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
  const move = (position: number, by: -1 | 1) => {
    const { title } = downloads[position] as Download;
    keepFocus.current = { position: position + by, by };
    setNews(t("downloads.moved", { title, position: position + by + 1, count: downloads.length }));
    onMove(position, by);
  };
  return (
    <>
      <ol ref={list} className={classes.list}>
        {downloads.map((download, position) => (
          // Rows are identified by their position: IDs change with every save.
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no state of its own.
          <li key={position} className={classes.row}>
            <DownloadFacts download={download} />
            {mayManage && (
              <Group gap={2} wrap="nowrap" className={classes.actions ?? ""}>
                <IconButton
                  icon="up"
                  label={t("downloads.moveUp", { title: download.title })}
                  isDisabled={position === 0}
                  isMove
                  onClick={() => move(position, -1)}
                />
                <IconButton
                  icon="down"
                  label={t("downloads.moveDown", { title: download.title })}
                  isDisabled={position === downloads.length - 1}
                  isMove
                  onClick={() => move(position, 1)}
                />
                <IconButton
                  icon="edit"
                  label={t("downloads.change", { title: download.title })}
                  onClick={() => onEdit(download)}
                />
                <IconButton
                  icon="close"
                  label={t("downloads.remove", { title: download.title })}
                  onClick={() => onRemove(position)}
                />
              </Group>
            )}
          </li>
        ))}
      </ol>
      <VisuallyHidden role="status">{news}</VisuallyHidden>
    </>
  );
}

function DownloadFacts({ download }: { download: Download }) {
  const { t } = useTranslation("products");
  const facts = [
    download.min_version !== null && t("downloads.fromVersion", { version: download.min_version }),
    download.checksum !== null && t("downloads.checksumIs", { checksum: download.checksum }),
  ].filter((fact) => fact !== false);
  return (
    <div className={classes.words}>
      <Text fw={600}>{download.title}</Text>
      <Anchor href={download.url} target="_blank" rel="noopener noreferrer" size="sm">
        {download.url}
      </Anchor>
      {facts.map((fact) => (
        <Text key={fact} size="sm" c="dimmed">
          {fact}
        </Text>
      ))}
    </div>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly isMove?: boolean;
  readonly onClick: () => unknown;
}

function IconButton({ icon, label, isDisabled = false, isMove = false, onClick }: IconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.act ?? ""}
        aria-label={label}
        disabled={isDisabled}
        data-move={isMove || undefined}
        onClick={() => void onClick()}
      >
        <Icon name={icon} size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
