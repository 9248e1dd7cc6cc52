import { MultiSelect, Radio, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";

interface ProductChoiceProps {
  readonly chosen: readonly string[] | null;
  readonly onChange: (chosen: readonly string[] | null) => void;
  readonly error: string | null;
}

/** The products whose events are sent. Without permission to see products, it stays unchanged. */
export function ProductChoice({ chosen, onChange, error }: ProductChoiceProps) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const maySee = useMay()("products:view", "products:manage", "products:rotate_key");
  const products = useQuery({
    ...ask("listProducts", { params: { organization_id: id }, query: { limit: 200 } }),
    enabled: maySee,
  });
  if (!maySee) return null;
  const known = (products.data?.data ?? []).map(({ id: value, name: label }) => ({ value, label }));
  const unknown = (chosen ?? []).filter((one) => !known.some(({ value }) => value === one));
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t("form.products")}
        value={chosen === null ? "all" : "some"}
        onChange={(value) => onChange(value === "all" ? null : [])}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={t("form.allProducts")} />
          <Radio value="some" label={t("form.someProducts")} description={t("form.someProductsWords")} />
        </Stack>
      </Radio.Group>
      {chosen !== null && (
        <MultiSelect
          aria-label={t("form.products")}
          placeholder={chosen.length === 0 ? t("form.chooseProducts") : ""}
          data={[...known, ...unknown.map((value) => ({ value, label: value }))]}
          value={[...chosen]}
          onChange={onChange}
          error={error}
          searchable
        />
      )}
    </Stack>
  );
}
