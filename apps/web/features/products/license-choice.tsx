import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { minTermLength } from "../../ui/search-term.ts";

interface LicenseChoiceProps {
  readonly productId: string;
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

/** Selects a license of the product: offers the newest, and searches while typing. */
export function LicenseChoice({ productId, value, onChange }: LicenseChoiceProps) {
  const { t } = useTranslation("products");
  const [term, setTerm] = useState("");
  const [settled] = useDebouncedValue(term.trim(), 250);
  const chosen = useQuery({
    ...ask("getLicense", { params: { license_id: value ?? "" } }),
    enabled: value !== null,
  });
  // The text of a selected license is not a search term.
  const isSearch =
    settled.length >= minTermLength && (chosen.data === undefined || settled !== words(chosen.data));
  const found = useQuery({
    ...ask("listProductLicenses", {
      params: { product_id: productId },
      query: { limit: 20, ...(isSearch ? { q: settled } : {}) },
    }),
    placeholderData: keepPreviousData,
  });
  const offered = new Map(
    [...(chosen.data === undefined || value === null ? [] : [chosen.data]), ...(found.data?.data ?? [])].map(
      (license) => [license.id, words(license)],
    ),
  );
  return (
    <Select
      label={t("custom.sample")}
      placeholder={t("custom.sampleNone")}
      searchable
      clearable
      // Rendered in place, so that screen readers find the list next to its field.
      comboboxProps={{ withinPortal: false }}
      searchValue={term}
      onSearchChange={setTerm}
      value={value}
      onChange={onChange}
      filter={({ options }) => options}
      nothingFoundMessage={found.isFetching ? t("custom.sampleSearching") : t("custom.sampleNothing")}
      data={[...offered].map(([id, label]) => ({ value: id, label }))}
    />
  );
}

function words(license: Answer<"getLicense">): string {
  const who = license.customer_name ?? license.customer_email ?? license.customer_discord_id;
  return who === null ? license.license_key : `${license.license_key} · ${who}`;
}
