import { dayMs } from "@countersign/domain/dates/lengths";
import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { exactTime } from "../../ui/time.tsx";
import type { Product } from "../products/frame/use-product.ts";
import type { Change } from "./draft.ts";
import { RefusedList } from "./refused-list.tsx";
import { settingOf } from "./setting-of.ts";

interface ShadowResultProps {
  readonly product: Product;
  /** What was tried. */
  readonly change: Change;
  readonly days: number;
  readonly result: Answer<"shadowProduct">;
}

/** Whom a change would have refused, how far back requests were replayed, and where to make the change. */
export function ShadowResult({ product, change, days, result }: ShadowResultProps) {
  const { t, i18n } = useTranslation("shadow");
  const { slug } = useOrganization();
  const may = useMay();
  const number = new Intl.NumberFormat(i18n.language);
  const { refused, ineffective, since, complete } = result;
  const setting = settingOf(change, { slug, productId: product.id });
  const isShorter = complete && Date.parse(result.until) - Date.parse(since) < days * dayMs - dayMs / 2;
  const link = may(...setting.needs) && (
    <GoLink to={setting.to} underline="always">
      {t(`setting.${change.type}`)}
    </GoLink>
  );
  if (ineffective !== null)
    return (
      <Notice tone="info" title={t(`ineffective.${ineffective}`)}>
        {link}
      </Notice>
    );
  return (
    <Panel
      title={
        refused.licenses === 0
          ? t("result.none")
          : t("result.title", { count: refused.customers, number: number.format(refused.customers) })
      }
      lead={t("result.requests", {
        refused: number.format(refused.requests),
        requests: number.format(result.requests),
        refusedLicenses: number.format(refused.licenses),
        licenses: number.format(result.licenses),
      })}
      actions={link}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t("result.since", { time: exactTime(since, i18n.language) })} {isShorter && t("result.shorter")}
        </Text>
        {!complete && <Notice tone="warn" title={t("result.incomplete")} />}
        <Text size="sm" c="dimmed">
          {t(`result.assumes.${change.type}`)}
        </Text>
        {result.data.length > 0 && <RefusedList rows={result.data} />}
        {result.more && (
          <Text size="sm" c="dimmed">
            {t("result.more", { count: result.data.length })}
          </Text>
        )}
      </Stack>
    </Panel>
  );
}
