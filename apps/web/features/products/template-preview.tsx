import { Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { isReadOnly } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { CodeText } from "../../ui/code-text.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import type { Product } from "./frame/use-product.ts";
import { LicenseChoice } from "./license-choice.tsx";
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
