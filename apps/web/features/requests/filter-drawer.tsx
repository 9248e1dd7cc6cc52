import { requestOutcomes } from "@countersign/domain/validate/status";
import { Drawer, MultiSelect, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDidUpdate } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { useProducts } from "../../session/products.ts";
import { FilterSelect, useWhenSettled } from "../../ui/filters.tsx";
import { termOf } from "../../ui/search-term.ts";
import { useFilterChange } from "./filters.ts";
import { endpoints, millisecondsOf, type RequestFilters } from "./search.ts";

interface FilterDrawerProps {
  readonly filters: RequestFilters;
  readonly opened: boolean;
  readonly onClose: () => void;
}

const textFilters = [
  { name: "ip", label: "columns.ip", maxLength: 64, isCode: true },
  { name: "version", label: "columns.version", maxLength: 256, isCode: true },
  { name: "device_id", label: "columns.device", maxLength: 256, isCode: true },
  { name: "problem", label: "columns.problem", maxLength: 100, help: "filters.problemHelp" },
] as const;

/** Every filter. Each applies as soon as it is set. */
export function FilterDrawer({ filters, opened, onClose }: FilterDrawerProps) {
  const { t } = useTranslation("requests");
  const maySee = useMaySee();
  const change = useFilterChange();
  const set = (part: RequestFilters) => change(part, { replace: true });
  const products = useProducts().data ?? [];
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size="sm" title={t("filters.title")}>
      <Stack gap="md">
        <RefusedChoice value={filters.refused} onChange={(refused) => set({ refused })} hasLabel />
        <MultiSelect
          label={t("columns.outcome")}
          placeholder={filters.outcome === undefined ? t("filters.anyOutcome") : ""}
          data={requestOutcomes.map((value) => ({ value, label: t(`outcomes.${value}`) }))}
          value={[...(filters.outcome ?? [])]}
          onChange={(chosen) => {
            const outcome = requestOutcomes.filter((one) => chosen.includes(one));
            set({ outcome: outcome.length === 0 ? undefined : outcome });
          }}
          searchable
          clearable
          hidePickedOptions
        />
        {products.length > 1 && (
          <FilterSelect
            label={t("columns.product")}
            isLabelShown
            any={t("filters.anyProduct")}
            values={products.map(({ id }) => id)}
            words={(productId) => products.find(({ id }) => id === productId)?.name ?? productId}
            value={filters.product_id}
            onChange={(productId) => set({ product_id: productId })}
            searchable
          />
        )}
        {maySee("licenses:view") && (
          <LicenseFilter
            value={filters.license_id}
            onChange={(licenseId) => set({ license_id: licenseId })}
          />
        )}
        {textFilters.map(({ name, label, ...rest }) => (
          <TextFilter
            key={name}
            label={t(label)}
            description={"help" in rest ? t(rest.help) : undefined}
            maxLength={rest.maxLength}
            isCode={"isCode" in rest}
            value={filters[name]}
            onChange={(text) => set({ [name]: text })}
          />
        ))}
        <TextFilter
          label={t("columns.duration")}
          description={t("filters.durationHelp")}
          maxLength={10}
          read={(text) => millisecondsOf(text)?.toString()}
          invalid={t("filters.notADuration")}
          value={filters.min_duration_ms?.toString()}
          onChange={(ms) => set({ min_duration_ms: millisecondsOf(ms) })}
        />
        <OneOf
          label={t("columns.endpoint")}
          choices={[
            [undefined, t("filters.any")],
            ...endpoints.map((endpoint) => [endpoint, t(`endpoints.${endpoint}`)] as const),
          ]}
          value={filters.endpoint}
          onChange={(endpoint) => set({ endpoint })}
        />
        <OneOf
          label={t("columns.sandbox")}
          choices={[
            [undefined, t("filters.all")],
            [true, t("filters.onlySandbox")],
            [false, t("filters.noSandbox")],
          ]}
          value={filters.sandbox}
          onChange={(sandbox) => set({ sandbox })}
        />
      </Stack>
    </Drawer>
  );
}

interface RefusedChoiceProps {
  readonly value: boolean | undefined;
  readonly onChange: (refused: boolean | undefined) => void;
  readonly hasLabel?: boolean;
}

/** All requests, or only those that were refused or accepted. */
export function RefusedChoice({ hasLabel = false, ...rest }: RefusedChoiceProps) {
  const { t } = useTranslation("requests");
  return (
    <OneOf
      {...rest}
      label={t("filters.result")}
      isLabelHidden={!hasLabel}
      choices={[
        [undefined, t("filters.all")],
        [true, t("filters.refused")],
        [false, t("filters.accepted")],
      ]}
    />
  );
}

interface OneOfProps<Value> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly choices: readonly (readonly [value: Value, words: string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function OneOf<Value>({ label, isLabelHidden = false, choices, value, onChange }: OneOfProps<Value>) {
  const id = useId();
  const place = choices.findIndex(([one]) => one === value);
  return (
    <div>
      {!isLabelHidden && (
        <Text component="span" id={id} size="sm" fw={600} display="block" mb={4}>
          {label}
        </Text>
      )}
      <SegmentedControl
        fullWidth={!isLabelHidden}
        {...(isLabelHidden ? { "aria-label": label } : { "aria-labelledby": id })}
        data={choices.map(([, choiceLabel], index) => ({ value: String(index), label: choiceLabel }))}
        value={String(place)}
        onChange={(index) => {
          const choice = choices[Number(index)];
          if (choice !== undefined) onChange(choice[0]);
        }}
      />
    </div>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: string | undefined;
  readonly maxLength: number;
  readonly isCode?: boolean;
  /** The value that a text stands for; undefined if it stands for none, which `invalid` says. */
  readonly read?: (text: string) => string | undefined;
  readonly invalid?: string;
  readonly onChange: (value: string | undefined) => void;
}

/** A filter by text, which applies shortly after the last keystroke. */
function TextFilter({ value = "", read = (text) => text, ...given }: TextFilterProps) {
  const { label, description, maxLength, isCode, invalid, onChange } = given;
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const [isInvalid, setInvalid] = useState(false);
  const settle = useWhenSettled((text: string) => {
    const meant = text === "" ? "" : read(text);
    setInvalid(meant === undefined);
    sent.current = meant ?? "";
    onChange(meant || undefined);
  }, 400);
  // Follows a removed chip or the back button, but does not overwrite text that is being typed.
  useDidUpdate(() => {
    if (value !== sent.current) {
      setTyped(value);
      setInvalid(false);
    }
    sent.current = value;
  }, [value]);
  return (
    <TextInput
      label={label}
      description={description}
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...(isCode ? { classNames: { input: "mono" }, spellCheck: false, autoComplete: "off" } : {})}
      maxLength={maxLength}
      error={isInvalid && invalid}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value.trim());
      }}
    />
  );
}

interface LicenseFilterProps {
  readonly value: string | undefined;
  readonly onChange: (licenseId: string | undefined) => void;
}

/** Selects a license by part of its key or customer. */
function LicenseFilter({ value, onChange }: LicenseFilterProps) {
  const { t } = useTranslation("requests");
  const params = { organization_id: useOrganization().id };
  const [typed, setTyped] = useState("");
  const [settled] = useDebouncedValue(termOf(typed), 250);
  const licenses = useQuery({
    ...ask("listLicenses", {
      params,
      query: { limit: 10, q: settled },
    }),
    placeholderData: keepPreviousData,
  });
  const key = useLicenseKey(value);
  const choices = new Map((licenses.data?.data ?? []).map((license) => [license.id, license.license_key]));
  if (value !== undefined) choices.set(value, key ?? value);
  return (
    <Select
      label={t("columns.license")}
      placeholder={t("filters.anyLicense")}
      data={[...choices].map(([id, label]) => ({ value: id, label }))}
      // The server has already filtered, also by customer.
      filter={({ options }) => options}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      onSearchChange={setTyped}
      nothingFoundMessage={t("filters.noLicense")}
      searchable
      clearable
    />
  );
}

/** The key of the license in the filter, once it is known. */
export function useLicenseKey(licenseId: string | undefined): string | undefined {
  const license = useQuery({
    ...ask("getLicense", { params: { license_id: licenseId ?? "" } }),
    enabled: licenseId !== undefined,
  });
  return license.data?.license_key;
}
