import {
  Autocomplete,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
} from "@mantine/core";
import { useDebouncedValue, useDidUpdate } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { useWhenSettled } from "../../ui/filters.tsx";
import { licensesRoute, useFilterChange } from "./search.ts";

const usualDays = [7, 30, 90] as const;

/** Less common filters. Each applies as soon as it is set. */
export function MoreFilters({ tags }: { tags: readonly string[] }) {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const search = licensesRoute.useSearch();
  const change = useFilterChange();
  return (
    <Stack gap="sm">
      <div>
        <WholeNumber
          label={t("filters.expires_within_days")}
          value={search.expires_within_days}
          min={0}
          max={36_500}
          onChange={(days) => change({ expires_within_days: days })}
        />
        <Group gap={4} mt={6}>
          {usualDays.map((days) => (
            <Button
              key={days}
              size="compact-xs"
              variant={search.expires_within_days === days ? "light" : "default"}
              onClick={() => change({ expires_within_days: days })}
            >
              {t("filters.days", { count: days })}
            </Button>
          ))}
        </Group>
      </div>
      <YesNo
        label={t("filters.use")}
        yes={t("chips.used")}
        no={t("chips.neverUsed")}
        value={search.never_used === undefined ? undefined : !search.never_used}
        onChange={(used) => change({ never_used: used === undefined ? undefined : !used })}
      />
      <YesNo
        label={t("filters.has_notes")}
        yes={t("filters.with")}
        no={t("filters.without")}
        value={search.has_notes}
        onChange={(hasNotes) => change({ has_notes: hasNotes })}
      />
      <WholeNumber
        label={t("filters.min_ips")}
        value={search.min_ips}
        min={1}
        max={1_000_000}
        onChange={(ips) => change({ min_ips: ips })}
      />
      <TagField tags={tags} />
      {may("customers:view", "customers:manage") && (
        <CustomerField
          label={t("filters.customer_id")}
          value={search.customer_id}
          onChange={(customer) => change({ customer_id: customer })}
        />
      )}
    </Stack>
  );
}

function TagField({ tags }: { tags: readonly string[] }) {
  const { t } = useTranslation("licenses");
  const { tag = "" } = licensesRoute.useSearch();
  const change = useFilterChange();
  const [typed, setTyped] = useState(tag);
  const settle = useWhenSettled((tag: string) => change({ tag: tag || undefined }), 400);
  return (
    <Autocomplete
      label={t("filters.tag")}
      data={[...tags]}
      value={typed}
      maxLength={50}
      comboboxProps={{ withinPortal: false }}
      onChange={(typedTag) => {
        setTyped(typedTag);
        settle(typedTag.trim());
      }}
    />
  );
}

interface WholeNumberProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number | undefined) => void;
}

function WholeNumber({ label, value, min, max, onChange }: WholeNumberProps) {
  const [typed, setTyped] = useState<number | string>(value ?? "");
  const sent = useRef(value);
  const settle = useWhenSettled((wanted: number | undefined) => {
    sent.current = wanted;
    onChange(wanted);
  }, 300);
  // Follows a view or a chip, but does not overwrite a number that is being typed.
  useDidUpdate(() => {
    if (value !== sent.current) setTyped(value ?? "");
    sent.current = value;
  }, [value]);
  return (
    <NumberInput
      label={label}
      value={typed}
      min={min}
      max={max}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="strict"
      onChange={(next) => {
        setTyped(next);
        settle(next === "" ? undefined : Number(next));
      }}
    />
  );
}

interface YesNoProps {
  readonly label: string;
  readonly yes: string;
  readonly no: string;
  readonly value: boolean | undefined;
  readonly onChange: (value: boolean | undefined) => void;
}

function YesNo({ label, yes, no, value, onChange }: YesNoProps) {
  const { t } = useTranslation("licenses");
  const id = useId();
  return (
    <div>
      <Text component="span" id={id} size="sm" fw={600} display="block" mb={4}>
        {label}
      </Text>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-labelledby={id}
        data={[
          { value: "any", label: t("filters.any") },
          { value: "yes", label: yes },
          { value: "no", label: no },
        ]}
        value={value === undefined ? "any" : value ? "yes" : "no"}
        onChange={(chosen) => onChange(chosen === "any" ? undefined : chosen === "yes")}
      />
    </div>
  );
}

interface CustomerFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (customerId: string | undefined) => void;
}

/** Selects a customer by part of an email, a name or a Discord ID. */
function CustomerField({ label, value, onChange }: CustomerFieldProps) {
  const { t } = useTranslation("licenses");
  const params = { organization_id: useOrganization().id };
  const [typed, setTyped] = useState("");
  const [settled] = useDebouncedValue(typed.trim(), 250);
  const matches = useQuery({
    ...ask("listCustomers", { params, query: { limit: 10, ...(settled === "" ? {} : { search: settled }) } }),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({
    ...ask("getCustomer", { params: { ...params, customer_id: value ?? "" } }),
    enabled: value !== undefined,
  });
  const choices = new Map((matches.data?.data ?? []).map((customer) => [customer.id, nameOf(customer)]));
  if (chosen.data !== undefined) choices.set(chosen.data.id, nameOf(chosen.data));
  return (
    <Select
      label={label}
      placeholder={t("filters.anyCustomer")}
      data={[...choices].map(([id, name]) => ({ value: id, label: name }))}
      // The server has already filtered, also by fields that are not shown.
      filter={({ options }) => options}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      onSearchChange={setTyped}
      nothingFoundMessage={t("filters.noCustomer")}
      comboboxProps={{ withinPortal: false }}
      searchable
      clearable
    />
  );
}

function nameOf({
  email,
  name,
  discord_id: discordId,
}: Pick<Item<"listCustomers">, "email" | "name" | "discord_id">) {
  return email ?? name ?? discordId ?? "";
}
