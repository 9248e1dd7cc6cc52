import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";

interface CustomerFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (customerId: string | undefined) => void;
}

/** Selects a customer by part of an email, a name or a Discord ID. */
export function CustomerField({ label, value, onChange }: CustomerFieldProps) {
  const { t } = useTranslation("licenses");
  const params = { organization_id: useOrganization().id };
  const [typed, setTyped] = useState("");
  const [settled] = useDebouncedValue(typed.trim(), 250);
  const found = useQuery({
    ...ask("listCustomers", { params, query: { limit: 10, ...(settled === "" ? {} : { search: settled }) } }),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({
    ...ask("getCustomer", { params: { ...params, customer_id: value ?? "" } }),
    enabled: value !== undefined,
  });
  const choices = new Map((found.data?.data ?? []).map((customer) => [customer.id, nameOf(customer)]));
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
