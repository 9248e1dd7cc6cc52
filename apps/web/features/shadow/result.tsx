import { dayMs } from "@countersign/domain/dates/lengths";
import type { Permission } from "@countersign/domain/members/permissions";
import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answer, Body } from "../../api/client.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useMay, useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import type { PageLink } from "../../ui/links.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/section.tsx";
import { exactTime, ListTime } from "../../ui/time.tsx";
import type { Product } from "../products/frame/use-product.ts";
import type { ChangeType } from "./search.ts";

/** The others are tried where they are made. */
export type Change = Extract<Body<"shadowProduct">["change"], { type: ChangeType }>;

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

type Row = Answer<"shadowProduct">["data"][number];

/** The licenses that would have been refused, most requests first. */
function RefusedList({ rows }: { rows: readonly Row[] }) {
  const { t, i18n } = useTranslation("shadow");
  const { slug } = useOrganization();
  const sees = useMaySee();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <List
      label={t("list.label")}
      rows={rows}
      keyOf={(row) => row.license_id}
      empty={null}
      columns={[
        {
          header: t("list.customer"),
          cell: (row) => (
            <Stack gap={0}>
              <Text inherit>{row.customer_name ?? row.customer_email ?? t("list.noCustomer")}</Text>
              {row.license_key !== null && sees("licenses:view") ? (
                <GoLink to={paths.license(slug, row.license_id)} className="mono" size="xs">
                  {row.license_key}
                </GoLink>
              ) : (
                <Text size="xs" c="dimmed" className="mono">
                  {row.license_key ?? row.license_id}
                </Text>
              )}
            </Stack>
          ),
        },
        {
          header: t("list.requests"),
          align: "right",
          cell: (row) =>
            sees("requests:view") ? (
              <GoLink to={paths.requests(slug, { license_id: row.license_id })} className="figures">
                {number.format(row.requests)}
              </GoLink>
            ) : (
              <span className="figures">{number.format(row.requests)}</span>
            ),
        },
        {
          header: t("list.status"),
          wide: true,
          cell: (row) => <span className="mono">{row.status}</span>,
        },
        {
          header: t("list.last"),
          cell: (row) => (
            <Stack gap={0}>
              <ListTime at={row.last_at} />
              <Text size="xs" c="dimmed" className="mono">
                {[row.ip, row.version].filter((text) => text !== null && text !== "").join(" · ")}
              </Text>
              <Text component="div" size="xs">
                <DeviceIds ids={row.device_ids} licenseId={row.license_id} />
              </Text>
              {row.ip_count > 1 && (
                <Text size="xs" c="dimmed">
                  {t("list.ips", { count: row.ip_count })}
                </Text>
              )}
            </Stack>
          ),
        },
      ]}
    />
  );
}

interface Setting {
  readonly to: PageLink;
  /** Any of these permissions is enough to change it. */
  readonly needs: readonly Permission[];
}

/** Where a change is made. */
function settingOf(change: Change, at: { readonly slug: string; readonly productId: string }): Setting {
  const { slug, productId } = at;
  switch (change.type) {
    case "max_ips":
      // The product's setting is for new licenses; those that exist are changed in bulk.
      return {
        to: paths.licenses(slug, { product_id: productId }),
        needs: ["licenses:update"],
      };
    case "registration":
      return { to: paths.product(slug, productId), needs: ["products:manage"] };
    case "block_version":
      return { to: paths.productVersions(slug, productId), needs: ["products:manage"] };
    case "block_ip":
      return { to: paths.ipBlocks(slug, { add: change.cidr }), needs: ["ip_blocks:manage"] };
  }
}
