import { dayMs } from "@countersign/domain/dates/lengths";
import { Select, Text, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Choice } from "../../ui/fields.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/time-fields.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { type BlockChoice, type BlockScope, type IpBlock, routesOf, sameScope, shownCidr } from "./scope.ts";

interface BlockDialogProps {
  readonly scope: BlockScope;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The block to edit; without it a new one is created. */
  readonly block?: IpBlock | null;
  /** The initial value of a new one. */
  readonly cidr?: string;
  /** Other scopes for a new one. */
  readonly choices?: readonly BlockChoice[];
}

/** Blocks an IP address or network, or edits the note and expiry of a block. */
export function BlockDialog(props: BlockDialogProps) {
  const { t } = useTranslation("ip-blocks");
  const isNew = props.block == null;
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t(isNew ? "form.add" : "form.change")}>
      {props.opened && <BlockForm {...props} />}
    </Dialog>
  );
}

const durations = { day: dayMs, week: 604_800_000, month: 2_592_000_000 } as const;
type Duration = "permanent" | keyof typeof durations | "date";

function BlockForm({
  scope: first,
  choices = [],
  onClose,
  block = null,
  cidr: given = "",
}: BlockDialogProps) {
  const { t } = useTranslation("ip-blocks");
  const [scope, setScope] = useState(first);
  const routes = routesOf(scope);
  const add = useChange(routes.add);
  const remove = useChange(routes.remove);
  const update = useChange(routes.update);
  const [cidr, setCidr] = useState(block === null ? given : shownCidr(block.cidr));
  const [note, setNote] = useState(block?.note ?? "");
  const [duration, setDuration] = useState<Duration>(block?.expires_at == null ? "permanent" : "date");
  const [date, setDate] = useState(toLocal(block?.expires_at ?? null));
  const error = add.error ?? update.error;
  const submit = async () => {
    const kept = { note: note.trim() === "" ? null : note, expires_at: expiryOf(duration, date) };
    try {
      if (block === null) {
        const { id } = await add.mutateAsync({ params: routes.params, body: { cidr, ...kept } });
        notify(t("done.added", { cidr }), () =>
          remove.mutateAsync({ params: { ...routes.params, block_id: id } }),
        );
      } else {
        await update.mutateAsync({
          params: { ...routes.params, block_id: block.id },
          body: { ...kept, updated_at: block.updated_at },
        });
        notify(t("done.changed", { cidr }));
      }
    } catch {
      return;
    }
    onClose();
  };
  return (
    <DialogForm
      onSubmit={submit}
      typed={[cidr, note, duration, date]}
      error={error}
      isBusy={add.isPending || update.isPending}
      action={t(block === null ? "form.doAdd" : "everywhere:save")}
    >
      <Text c="dimmed" size="sm">
        {t(`form.lead.${scope.level}`)}
      </Text>
      <ValidateHelp about="ipBlocks" />
      <ProblemAlert error={error} beside={["cidr", "note", "expires_at"]} />
      {block === null && choices.length > 1 && (
        <ScopeChoice choices={choices} scope={scope} onChange={setScope} />
      )}
      <TextInput
        label={t("cidr")}
        description={t("form.cidrHelp")}
        placeholder="203.0.113.0/24"
        required
        disabled={block !== null}
        value={cidr}
        onChange={(event) => setCidr(event.currentTarget.value)}
        error={fieldError(error, "cidr")}
        data-autofocus={block === null && given === "" ? true : undefined}
      />
      {block === null && scope.level === "organization" && <BlockForecast cidr={cidr} />}
      <Textarea
        label={t("note")}
        description={t("form.noteHelp")}
        autosize
        minRows={2}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={fieldError(error, "note")}
        data-autofocus={block !== null || given !== "" ? true : undefined}
      />
      <Choice
        label={t("form.duration")}
        values={["permanent", "day", "week", "month", "date"] as const}
        words={(value) => t(`form.durations.${value}`)}
        value={duration}
        onChange={setDuration}
      />
      {duration === "date" && (
        <DateTimeField
          label={t("form.date")}
          required
          value={date}
          onChange={setDate}
          error={fieldError(error, "expires_at")}
        />
      )}
    </DialogForm>
  );
}

function expiryOf(duration: Duration, date: string): string | null {
  if (duration === "permanent") return null;
  return duration === "date" ? fromLocal(date) : new Date(Date.now() + durations[duration]).toISOString();
}

interface ScopeChoiceProps {
  readonly choices: readonly BlockChoice[];
  readonly scope: BlockScope;
  readonly onChange: (scope: BlockScope) => void;
}

/** Selects what a block applies to. */
function ScopeChoice({ choices, scope, onChange }: ScopeChoiceProps) {
  const { t } = useTranslation("ip-blocks");
  const named = choices.map(({ scope: { level }, label }, at) => ({
    level,
    value: String(at),
    label: label === "" ? t(`form.scope.${level}`) : label,
  }));
  return (
    <Select
      label={t("form.scope.label")}
      searchable
      allowDeselect={false}
      maxDropdownHeight={280}
      data={[
        ...named.filter(({ level }) => level !== "customer" && level !== "license"),
        ...(["customer", "license"] as const)
          .map((level) => ({
            group: t(`form.scope.${level}`),
            items: named.filter((choice) => choice.level === level),
          }))
          .filter(({ items }) => items.length > 0),
      ]}
      value={String(choices.findIndex((choice) => sameScope(choice.scope, scope)))}
      onChange={(value) => {
        const chosen = choices[Number(value)];
        if (chosen !== undefined) onChange(chosen.scope);
      }}
    />
  );
}

const mostShown = 200;

/** The known IP addresses that a block would affect. It reads one page, so that it stays cheap. */
function BlockForecast({ cidr }: { cidr: string }) {
  const { t, i18n } = useTranslation("ip-blocks");
  const { id } = useOrganization();
  const mayLook = useMay()("licenses:view");
  const [settled] = useDebouncedValue(cidr.trim(), 300);
  const { data } = useQuery({
    ...ask("listIps", { params: { organization_id: id }, query: { cidr: settled, limit: mostShown } }),
    enabled: mayLook && settled !== "",
    retry: false,
  });
  if (data === undefined || settled !== cidr.trim()) return null;
  const more = data.next_cursor === null ? "" : "+";
  const figure = (value: number) => `${value.toLocaleString(i18n.language)}${more}`;
  const licenses = data.data.reduce((sum, { license_count: count }) => sum + count, 0);
  return (
    <Text fw={600} role="status">
      {data.data.length === 0 && more === ""
        ? t("form.noMatches")
        : t("form.matches", {
            count: data.data.length,
            number: figure(data.data.length),
            licenses: figure(licenses),
          })}
    </Text>
  );
}
