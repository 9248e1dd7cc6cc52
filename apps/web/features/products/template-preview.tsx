import { Select, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Answer, call } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { isReadOnly } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { CodeText } from "../../ui/code-text.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { minTermLength } from "../../ui/search-term.ts";
import type { Product } from "./frame/use-product.ts";
import { checkTemplate } from "./template-editor.tsx";

const customResponseRoute = getRouteApi("/signed-in/o/$organization/products/$productId/custom-response");

/** A preview of `custom` for a selected license or for example values. Nothing is saved. */
export function TemplatePreview({ product, text }: { product: Product; text: string }) {
  const { t } = useTranslation("products");
  const navigate = useNavigate();
  const organization = useOrganization();
  const { slug } = organization;
  // The server takes a preview for a change.
  const canPreview = !isReadOnly(organization);
  const mayChoose = useMay()("licenses:view");
  const { license } = customResponseRoute.useSearch();
  const checked = checkTemplate(text);
  const preview = useQuery({
    queryKey: ["previewCustomResponse", product.id, text, license ?? null],
    queryFn: ({ signal }) =>
      call("previewCustomResponse", {
        params: { product_id: product.id },
        body: {
          template: checked.ok ? checked.template : null,
          ...(license === undefined || !mayChoose ? {} : { license_id: license }),
        },
        signal,
      }),
    enabled: checked.ok && canPreview,
    placeholderData: keepPreviousData,
  });
  const choose = (id: string | null) =>
    navigate({
      ...paths.customResponse(slug, product.id, { license: id ?? undefined }),
      replace: true,
      resetScroll: false,
    });
  const custom = preview.data?.custom;
  if (!canPreview) return null;
  return (
    <Stack gap="xs">
      <Text fw={600}>{t("custom.preview")}</Text>
      {mayChoose && (
        <LicenseChoice productId={product.id} value={license ?? null} onChange={(id) => void choose(id)} />
      )}
      <ProblemAlert error={preview.error} />
      {preview.error === null && (
        <CodeText label={t("custom.preview")} wrapped isOld={!checked.ok || preview.isPlaceholderData}>
          {custom === undefined ? "…" : `"custom": ${JSON.stringify(custom, null, 2)}`}
        </CodeText>
      )}
      <Text size="sm" c="dimmed">
        {checked.ok ? t("custom.previewWords") : t("custom.previewOld")}
      </Text>
    </Stack>
  );
}

interface LicenseChoiceProps {
  readonly productId: string;
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

/** Selects a license of the product: offers the newest, and searches while typing. */
function LicenseChoice({ productId, value, onChange }: LicenseChoiceProps) {
  const { t } = useTranslation("products");
  const [term, setTerm] = useState("");
  const [settled] = useDebouncedValue(term.trim(), 250);
  const chosen = useQuery({
    ...ask("getLicense", { params: { license_id: value ?? "" } }),
    enabled: value !== null,
  });
  // The text of a selected license is not a search term.
  const isSearch =
    settled.length >= minTermLength && (chosen.data === undefined || settled !== labelOf(chosen.data));
  const matches = useQuery({
    ...ask("listProductLicenses", {
      params: { product_id: productId },
      query: { limit: 20, ...(isSearch ? { q: settled } : {}) },
    }),
    placeholderData: keepPreviousData,
  });
  const offered = new Map(
    [
      ...(chosen.data === undefined || value === null ? [] : [chosen.data]),
      ...(matches.data?.data ?? []),
    ].map((license) => [license.id, labelOf(license)]),
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
      nothingFoundMessage={matches.isFetching ? t("custom.sampleSearching") : t("custom.sampleNothing")}
      data={[...offered].map(([id, label]) => ({ value: id, label }))}
    />
  );
}

function labelOf(license: Answer<"getLicense">): string {
  const who = license.customer_name ?? license.customer_email ?? license.customer_discord_id;
  return who === null ? license.license_key : `${license.license_key} · ${who}`;
}
