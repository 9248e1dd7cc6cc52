import { Button, Group, Pill, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { TimeRange } from "../../ui/time-range.tsx";
import { actions, plainWords, subjectKinds } from "./actions.ts";
import classes from "./audit-log.module.css";
import type { Entry } from "./field-changes.ts";

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly onChange: (changes: Partial<AuditSearch>) => void;
  /** The shown entries, which also name people who are no longer members. */
  readonly entries: readonly Entry[];
}

export function AuditFilters({ search, onChange, entries }: AuditFiltersProps) {
  const { t } = useTranslation("audit-log");
  const people = usePeople(entries, search.actor_id);
  const subject = entries.find((entry) => entry.subject.id === search.subject_id)?.subject;
  const isNarrowed = Object.entries(search).some(([name, value]) => name !== "entry" && value !== undefined);
  const options = Map.groupBy(actions, (action) => action.split(".")[0] ?? "");
  return (
    <Group gap="xs">
      <Select
        className={classes.filter ?? ""}
        aria-label={t("filters.who")}
        placeholder={t("filters.anyone")}
        data={people}
        value={search.actor_id ?? null}
        onChange={(value) => onChange({ actor_id: value ?? undefined })}
        clearable
        searchable
      />
      <Select
        className={classes.action ?? ""}
        aria-label={t("filters.action")}
        placeholder={t("filters.anyAction")}
        data={[...options].map(([group, items]) => ({
          group: t(`subjects.${group}`),
          items: items.map((value) => ({ value, label: t(`actions.${value}`) })),
        }))}
        value={search.action ?? null}
        onChange={(value) => onChange({ action: value ?? undefined })}
        clearable
        searchable
      />
      <Select
        className={classes.filter ?? ""}
        aria-label={t("filters.target")}
        placeholder={t("filters.anyTarget")}
        data={subjectKinds.map((value) => ({ value, label: t(`subjects.${value}`) }))}
        value={search.subject_kind ?? null}
        onChange={(value) => onChange({ subject_kind: value ?? undefined })}
        clearable
      />
      <TimeRange from={search.from} to={search.to} onChange={onChange} />
      {search.subject_id !== undefined && (
        <Pill
          size="md"
          withRemoveButton
          onRemove={() => onChange({ subject_id: undefined })}
          removeButtonProps={{ "aria-label": t("filters.removeTarget") }}
        >
          {subject === undefined
            ? search.subject_id
            : `${t(`subjects.${subject.kind}`, { defaultValue: plainWords(subject.kind) })} ${subject.name ?? ""}`}
        </Pill>
      )}
      {isNarrowed && (
        <Button variant="subtle" size="compact-sm" onClick={() => onChange(noFilters)}>
          {t("filters.clear")}
        </Button>
      )}
    </Group>
  );
}

export const noFilters = {
  actor_id: undefined,
  action: undefined,
  subject_kind: undefined,
  subject_id: undefined,
  from: undefined,
  to: undefined,
} as const;

/** Members, and the other actors of the shown entries. */
function usePeople(entries: readonly Entry[], chosen: string | undefined) {
  const { id } = useOrganization();
  const may = useMay();
  const members = useQuery({
    ...ask("listMembers", { params: { organization_id: id }, query: { limit: 200 } }),
    enabled: may("members:view", "roles:edit", "members:remove"),
  });
  const people = new Map<string, string>(
    (members.data?.data ?? []).map(({ user_id, name, email }) => [user_id, name === "" ? email : name]),
  );
  for (const { actor } of entries)
    if (actor.id !== null && !people.has(actor.id)) people.set(actor.id, actor.name);
  if (chosen !== undefined && !people.has(chosen)) people.set(chosen, chosen);
  return [...people].map(([value, label]) => ({ value, label }));
}

/** The filters, by their API names, and the open entry. */
export interface AuditSearch {
  actor_id?: string | undefined;
  action?: string | undefined;
  subject_kind?: string | undefined;
  subject_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  entry?: string | undefined;
}
