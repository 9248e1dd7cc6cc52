import { parseVersionRecord, patternKey } from "@countersign/domain/versions/catalog";
import { Alert, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { AreaField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { isOutdated } from "../products/frame/use-product.ts";
import { type ProductVersion, states, type VersionState } from "../products/frame/use-versions.ts";
import classes from "./replace-versions.module.css";

interface ReplaceVersionsProps {
  readonly productId: string;
  readonly versions: readonly ProductVersion[];
  /** The revision of the shown list. */
  readonly revision: number | undefined;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The whole list as text, to paste, edit or generate with a script. */
export function ReplaceVersions(props: ReplaceVersionsProps) {
  const { t } = useTranslation("versions");
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t("replace.title")} size="lg">
      {props.opened && <ReplaceForm {...props} />}
    </Dialog>
  );
}

const maxFaults = 5;

function ReplaceForm({ productId, versions, revision, onClose }: ReplaceVersionsProps) {
  const { t } = useTranslation("versions");
  const [text, setText] = useState(() => writeLines(versions));
  const [seen, setSeen] = useState(revision);
  const replace = useChange("replaceVersions");
  const { records, faults } = readLines(text);
  const { added, removed, changed } = differences(versions, records);
  const isSame = added + removed + changed === 0;
  const submit = async () => {
    const params = { product_id: productId };
    const before = versions.map(({ version, state }) => ({ version, state }));
    const body = { versions: [...records], revision: seen };
    const done = await replace.mutateAsync({ params, body }).catch(() => null);
    if (done === null) return;
    onClose();
    notify(t("replace.done", { count: done.data.length }), () =>
      replace.mutateAsync({ params, body: { versions: before, revision: done.revision } }),
    );
  };
  // After a conflict the list is refetched, so that the user continues from the current one.
  const goOnFrom = (next: string) => () => {
    setText(next);
    setSeen(revision);
    replace.reset();
  };
  return (
    <DialogForm
      onSubmit={submit}
      typed={text}
      error={replace.error}
      isBusy={replace.isPending}
      isDisabled={isSame || faults.length > 0}
      action={t("replace.do")}
      note={
        <Text size="sm" c="dimmed" role="status" className="figures">
          {isSame ? t("replace.same") : t("replace.difference", { added, removed, changed })}
        </Text>
      }
    >
      <Text>{t("replace.words")}</Text>
      {isOutdated(replace.error) ? (
        <Alert color="orange" icon={<Icon name="warning" />} title={t("replace.conflict")}>
          <Group gap="xs" mt={4}>
            <Button size="compact-sm" variant="default" onClick={goOnFrom(text)}>
              {t("replace.keepMine")}
            </Button>
            <Button size="compact-sm" variant="default" onClick={goOnFrom(writeLines(versions))}>
              {t("replace.takeTheirs")}
            </Button>
          </Group>
        </Alert>
      ) : (
        <ProblemAlert error={replace.error} />
      )}
      <AreaField
        label={t("replace.list")}
        description={t("replace.hint")}
        classNames={{ input: classes.list ?? "" }}
        minRows={8}
        maxRows={18}
        spellCheck={false}
        data-autofocus
        value={text}
        onChange={setText}
        error={
          faults.length === 0
            ? null
            : faults
                .slice(0, maxFaults)
                .map(({ line, kind }) => t(`replace.fault.${kind}`, { line }))
                .join(" ")
        }
      />
    </DialogForm>
  );
}

interface VersionRecord {
  readonly version: string;
  readonly state: VersionState;
}

interface LineFault {
  readonly line: number;
  readonly kind: "version" | "state" | "duplicate" | "latest";
}

interface VersionLines {
  readonly records: readonly VersionRecord[];
  readonly faults: readonly LineFault[];
}

/** Parses a list with a version and its state on each line; the default state is allowed. */
function readLines(text: string): VersionLines {
  const records: VersionRecord[] = [];
  const faults: LineFault[] = [];
  const seen = new Set<string>();
  for (const [index, written] of text.split("\n").entries()) {
    if (written.trim() === "") continue;
    const read = readLine(written);
    const kind = typeof read === "string" ? read : conflict(read, records, seen);
    if (kind !== null) faults.push({ line: index + 1, kind });
    else if (typeof read !== "string") {
      seen.add(meaning(read.version));
      records.push(read);
    }
  }
  return { records, faults };
}

function readLine(written: string): VersionRecord | "version" | "state" {
  const [version = "", word = "allowed", ...rest] = written.trim().split(/[\s,;]+/);
  if (parseVersionRecord(version) === null) return "version";
  const state = states.find((known) => known === word.toLowerCase());
  return state === undefined || rest.length > 0 ? "state" : { version, state };
}

function conflict(
  record: VersionRecord,
  before: readonly VersionRecord[],
  seen: ReadonlySet<string>,
): "duplicate" | "latest" | null {
  if (seen.has(meaning(record.version))) return "duplicate";
  const isSecond = record.state === "latest" && before.some(({ state }) => state === "latest");
  return isSecond ? "latest" : null;
}

function writeLines(versions: readonly ProductVersion[]): string {
  return versions.map(({ version, state }) => `${version} ${state}`).join("\n");
}

/** How many entries would be added, removed or changed. */
function differences(before: readonly VersionRecord[], after: readonly VersionRecord[]) {
  const stateBy = (records: readonly VersionRecord[]) =>
    new Map(records.map(({ version, state }) => [meaning(version), state]));
  const [old, next] = [stateBy(before), stateBy(after)];
  return {
    added: [...next.keys()].filter((key) => !old.has(key)).length,
    removed: [...old.keys()].filter((key) => !next.has(key)).length,
    changed: [...next].filter(([key, state]) => old.has(key) && old.get(key) !== state).length,
  };
}

function meaning(version: string): string {
  const pattern = parseVersionRecord(version);
  return pattern === null ? version : patternKey(pattern);
}
