import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { termOf } from "../../ui/search-term.ts";

interface LicenseFilterProps {
  readonly value: string | undefined;
  readonly onChange: (licenseId: string | undefined) => void;
}

/** Selects a license by part of its key or customer. */
export function LicenseFilter({ value, onChange }: LicenseFilterProps) {
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
