import { requestOutcomes } from "@countersign/domain/validate/status";
import { Drawer, MultiSelect, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDidUpdate } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { useProducts } from "../../session/products.ts";
import { useWhenSettled } from "../../ui/filters.tsx";
import { termOf } from "../../ui/search-term.ts";
import { useFilterChange } from "./filters.ts";
import { type Endpoint, endpoints, millisecondsOf, type RequestFilters } from "./search.ts";

interface FilterDrawerProps {
  readonly filters: RequestFilters;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Every filter. Each applies as soon as it is set. */
export function FilterDrawer({ filters, opened, onClose }: FilterDrawerProps) {
  const { t } = useTranslation("requests");
  const maySee = useMaySee();
  const change = useFilterChange();
  const products = useProducts();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="sm"
      title={t("filters.title")}
      closeButtonProps={{ "aria-label": t("everywhere:close") }}
    >
      <Stack gap="md">
        <RefusedChoice
          value={filters.refused}
          onChange={(refused) => change({ refused }, { replace: true })}
          hasLabel
        />
        <MultiSelect
          label={t("columns.outcome")}
          placeholder={filters.outcome === undefined ? t("filters.anyOutcome") : ""}
          data={requestOutcomes.map((value) => ({ value, label: t(`outcomes.${value}`) }))}
          value={[...(filters.outcome ?? [])]}
          onChange={(chosen) => {
            const outcome = requestOutcomes.filter((one) => chosen.includes(one));
            change({ outcome: outcome.length === 0 ? undefined : outcome }, { replace: true });
          }}
          searchable
          clearable
          hidePickedOptions
        />
        {products.data !== undefined && products.data.length > 1 && (
          <Select
            label={t("columns.product")}
            placeholder={t("filters.anyProduct")}
            data={products.data.map(({ id, name }) => ({ value: id, label: name }))}
            value={filters.product_id ?? null}
            onChange={(product) => change({ product_id: product ?? undefined }, { replace: true })}
            clearable
            searchable
          />
        )}
        {maySee("licenses:view") && (
          <LicenseFilter
            value={filters.license_id}
            onChange={(license) => change({ license_id: license }, { replace: true })}
          />
        )}
        <TextFilter
          label={t("columns.ip")}
          longest={64}
          isCode
          value={filters.ip}
          onChange={(ip) => change({ ip }, { replace: true })}
        />
        <TextFilter
          label={t("columns.version")}
          longest={256}
          isCode
          value={filters.version}
          onChange={(version) => change({ version }, { replace: true })}
        />
        <TextFilter
          label={t("columns.device")}
          longest={256}
          isCode
          value={filters.device_id}
          onChange={(device) => change({ device_id: device }, { replace: true })}
        />
        <TextFilter
          label={t("columns.problem")}
          description={t("filters.problemHelp")}
          longest={100}
          value={filters.problem}
          onChange={(problem) => change({ problem }, { replace: true })}
        />
        <TextFilter
          label={t("columns.duration")}
          description={t("filters.durationHelp")}
          longest={10}
          read={(text) => millisecondsOf(text)?.toString()}
          invalid={t("filters.notADuration")}
          value={filters.min_duration_ms?.toString()}
          onChange={(ms) => change({ min_duration_ms: millisecondsOf(ms) }, { replace: true })}
        />
        <OneOf
          label={t("columns.endpoint")}
          choices={[
            ["", t("filters.any")],
            ...endpoints.map((one): [string, string] => [one, t(`endpoints.${one}`)]),
          ]}
          value={filters.endpoint ?? ""}
          onChange={(one) =>
            change({ endpoint: (one || undefined) as Endpoint | undefined }, { replace: true })
          }
        />
        <OneOf
          label={t("columns.sandbox")}
          choices={[
            ["", t("filters.all")],
            ["true", t("filters.onlySandbox")],
            ["false", t("filters.noSandbox")],
          ]}
          value={filters.sandbox === undefined ? "" : String(filters.sandbox)}
          onChange={(one) => change({ sandbox: one === "" ? undefined : one === "true" }, { replace: true })}
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
export function RefusedChoice({ value, onChange, hasLabel = false }: RefusedChoiceProps) {
  const { t } = useTranslation("requests");
  return (
    <OneOf
      label={t("filters.result")}
      isLabelHidden={!hasLabel}
      choices={[
        ["", t("filters.all")],
        ["true", t("filters.refused")],
        ["false", t("filters.accepted")],
      ]}
      value={value === undefined ? "" : String(value)}
      onChange={(one) => onChange(one === "" ? undefined : one === "true")}
    />
  );
}

interface OneOfProps {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function OneOf({ label, isLabelHidden = false, choices, value, onChange }: OneOfProps) {
  const id = useId();
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
        data={choices.map(([one, words]) => ({ value: one, label: words }))}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string | undefined;
  readonly longest: number;
  readonly isCode?: boolean;
  /** The value that a text stands for; undefined if it stands for none, which `invalid` says. */
  readonly read?: (text: string) => string | undefined;
  readonly invalid?: string;
  readonly onChange: (value: string | undefined) => void;
}

/** A filter by text, which applies shortly after the last keystroke. */
function TextFilter({ value = "", read = (text) => text, ...given }: TextFilterProps) {
  const { label, description, longest, isCode, invalid, onChange } = given;
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
      maxLength={longest}
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
  const found = useQuery({
    ...ask("listLicenses", {
      params,
      query: { limit: 10, ...(settled === undefined ? {} : { q: settled }) },
    }),
    placeholderData: keepPreviousData,
  });
  const key = useLicenseKey(value);
  const choices = new Map((found.data?.data ?? []).map((license) => [license.id, license.license_key]));
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
