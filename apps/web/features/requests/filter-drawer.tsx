import { requestOutcomes } from "@countersign/domain/validate/status";
import { Drawer, MultiSelect, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useMaySee } from "../../session/current-organization.ts";
import { useProducts } from "../../session/products.ts";
import { LicenseFilter } from "./license-filter.tsx";
import { useFilterChange } from "./requests-route.ts";
import { type Endpoint, endpoints, millisecondsOf, type RequestFilters } from "./search.ts";
import { TextFilter } from "./text-filter.tsx";

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
