import { dayMs } from "@countersign/domain/dates/lengths";
import { parseCidr } from "@countersign/domain/ip/cidr";
import { Select, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { AreaField, Choice, TextField } from "../../ui/fields.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { Notice } from "../../ui/notice.tsx";
import { notify } from "../../ui/notify.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/time-fields.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
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

const lengthsMs = { day: dayMs, week: 604_800_000, month: 2_592_000_000 } as const;
const durations = ["permanent", "day", "week", "month", "date"] as const;
type Duration = (typeof durations)[number];

function BlockForm(props: BlockDialogProps) {
  const { scope: first, choices = [], onClose, block = null, cidr: given = "" } = props;
  const { t } = useTranslation("ip-blocks");
  const [scope, setScope] = useState(first);
  const routes = routesOf(scope);
  const add = useChange(routes.add);
  const remove = useChange(routes.remove);
  const update = useChange(routes.update);
  const start: { cidr: string; note: string; duration: Duration; expires_at: string } = {
    cidr: block === null ? given : shownCidr(block.cidr),
    note: block?.note ?? "",
    duration: block?.expires_at == null ? "permanent" : "date",
    expires_at: toLocal(block?.expires_at ?? null),
  };
  const form = useForm({
    start,
    send: async ({ cidr, note, duration, expires_at: date }) => {
      const kept = { note: note.trim() === "" ? null : note, expires_at: expiryOf(duration, date) };
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
      onClose();
    },
  });
  const { cidr, duration } = form.values;
  const chooseScope = (chosen: BlockScope) => {
    setScope(chosen);
    form.clearError();
  };
  return (
    <DialogForm {...form.props} action={t(block === null ? "form.doAdd" : "everywhere:save")}>
      <Text c="dimmed" size="sm">
        {t(`form.lead.${scope.level}`)}
      </Text>
      <ValidateHelp about="ipBlocks" />
      <FormProblem form={form} />
      {block === null && choices.length > 1 && (
        <ScopeChoice choices={choices} scope={scope} onChange={chooseScope} />
      )}
      <TextField
        {...form.field("cidr")}
        label={t("cidr")}
        description={t("form.cidrHelp")}
        placeholder="203.0.113.0/24"
        required
        disabled={block !== null}
        data-autofocus={block === null && given === "" ? true : undefined}
      />
      {block === null && <WideNetwork cidr={cidr} />}
      {block === null && scope.level === "organization" && <BlockForecast cidr={cidr} />}
      <AreaField
        {...form.field("note")}
        label={t("note")}
        description={t("form.noteHelp")}
        data-autofocus={block !== null || given !== "" ? true : undefined}
      />
      <Choice
        {...form.field("duration")}
        label={t("form.duration")}
        values={durations}
        words={(value) => t(`form.durations.${value}`)}
      />
      {duration === "date" && <DateTimeField {...form.field("expires_at")} label={t("form.date")} required />}
    </DialogForm>
  );
}

function expiryOf(duration: Duration, date: string): string | null {
  if (duration === "permanent") return null;
  return duration === "date" ? fromLocal(date) : new Date(Date.now() + lengthsMs[duration]).toISOString();
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

/** Before a typing error in the prefix length locks out everybody. */
function WideNetwork({ cidr }: { cidr: string }) {
  const { t, i18n } = useTranslation("ip-blocks");
  const wide = wideNetwork(cidr);
  if (wide === null) return null;
  const number = wide.ips.toLocaleString(i18n.language, { notation: "compact", maximumFractionDigits: 1 });
  return (
    <Notice
      tone="warn"
      title={wide.isAll ? t("form.everyone", { family: wide.family }) : t("form.large", { number })}
    />
  );
}

/** A network of more than 65,536 IPv4 addresses, or larger than an IPv6 /32, which is what a provider has. */
export function wideNetwork(text: string) {
  const cidr = parseCidr(text.trim());
  if (cidr === null || cidr.prefixLength >= (cidr.family === 4 ? 16 : 32)) return null;
  return {
    family: `IPv${cidr.family}`,
    isAll: cidr.prefixLength === 0,
    ips: 2 ** ((cidr.family === 4 ? 32 : 128) - cidr.prefixLength),
  };
}

const maxShown = 200;

/** The known IP addresses that a block would affect. It reads one page, so that it stays cheap. */
function BlockForecast({ cidr }: { cidr: string }) {
  const { t, i18n } = useTranslation("ip-blocks");
  const { id } = useOrganization();
  const mayLook = useMay()("licenses:view");
  const [settled] = useDebouncedValue(cidr.trim(), 300);
  const { data } = useQuery({
    ...ask("listIps", { params: { organization_id: id }, query: { cidr: settled, limit: maxShown } }),
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
