import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, askPages, flat } from "../../api/queries.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useMay, useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useProducts } from "../../session/products.ts";
import { Copy } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoLink } from "../../ui/links.tsx";
import { Faint } from "../../ui/list.tsx";
import { Verdict } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { LazyBlockDialog } from "../ip-blocks/block-list.tsx";
import { type BlockChoice, shownCidr } from "../ip-blocks/scope.ts";
import { LicenseList } from "../licenses/license-list.tsx";
import { Sightings } from "./sightings.tsx";

const IpRequests = lazy(() =>
  import("../requests/requests-section.tsx").then((file) => ({ default: file.IpRequests })),
);

const ipRoute = getRouteApi("/signed-in/o/$organization/ips/$ip");

type IpAddress = Answer<"getIp">;

/** One IP address: its licenses and blocks. */
export function IpPage() {
  const { t } = useTranslation("ips");
  const may = useMay();
  const maySee = useMaySee();
  const { id: organizationId, slug } = useOrganization();
  const { ip } = ipRoute.useParams();
  const { block } = ipRoute.useSearch();
  const navigate = ipRoute.useNavigate();
  const address = useQuery(ask("getIp", { params: { organization_id: organizationId, ip } }));
  const choices = useBlockChoices(ip);
  const isBlockedHere = address.data?.blocks.some(({ level }) => level === "organization") ?? false;
  const openBlock = (open: boolean) => void navigate({ search: { block: open || undefined }, replace: true });
  return (
    <Page
      title={ip}
      above={<Back to={paths.ips(slug)}>{t("title")}</Back>}
      beside={<Copy value={ip} />}
      actions={
        may("ip_blocks:manage") &&
        address.data !== undefined &&
        !isBlockedHere && (
          <Button
            variant="default"
            leftSection={<Icon name="block" size={16} />}
            onClick={() => openBlock(true)}
          >
            {t("block")}
          </Button>
        )
      }
    >
      <Stack gap="lg">
        <ProblemAlert error={address.error} />
        {address.data === undefined ? (
          address.isPending && <Skeleton height={120} />
        ) : (
          <>
            <BlockStatus address={address.data} />
            <Sightings address={address.data} never={t("neverSeen")} />
            {address.data.device_ids !== null && address.data.device_ids.length > 0 && (
              <Section title={t("devices")}>
                <DeviceIds ids={address.data.device_ids} all />
              </Section>
            )}
            <IpLicenses ip={ip} />
            {maySee("requests:view") && (
              <Suspense fallback={<Skeleton height={160} />}>
                <IpRequests ip={ip} />
              </Suspense>
            )}
          </>
        )}
      </Stack>
      <LazyBlockDialog
        scope={{ level: "organization", organizationId }}
        opened={block === true && may("ip_blocks:manage")}
        cidr={ip}
        choices={choices}
        onClose={() => openBlock(false)}
      />
    </Page>
  );
}

/** Whether requests from the IP address are rejected, by which block and until when. */
function BlockStatus({ address }: { address: IpAddress }) {
  const { t } = useTranslation("ips");
  const { slug } = useOrganization();
  const { blocks, blocked_by_platform: byPlatform } = address;
  if (blocks.length === 0 && !byPlatform) return null;
  const isForAll = byPlatform || blocks.some(({ level }) => level === "organization");
  return (
    <Verdict isRefused title={t(isForAll ? "blocked.title" : "blocked.partly")}>
      <Stack gap={4}>
        {address.blocked_by_platform && <Text size="sm">{t("blocked.platform")}</Text>}
        {address.blocks.map((block) => (
          <Text size="sm" key={block.id}>
            <GoLink
              to={
                block.license_id !== null
                  ? paths.license(slug, block.license_id)
                  : block.customer_id !== null
                    ? paths.customer(slug, block.customer_id)
                    : paths.ipBlocks(slug)
              }
              inherit
              underline="always"
            >
              {t(`blocked.${block.level}`, { cidr: shownCidr(block.cidr) })}
            </GoLink>
            {block.note !== null && <> · {block.note}</>}{" "}
            {block.expires_at !== null && (
              <>
                ({t("blocked.expires")} <Time at={block.expires_at} />)
              </>
            )}
          </Text>
        ))}
      </Stack>
    </Verdict>
  );
}

/** The scopes for blocking an IP address: the organization, or a customer or license that uses it. */
function useBlockChoices(ip: string): readonly BlockChoice[] {
  const { t } = useTranslation("ips");
  const { id: organizationId } = useOrganization();
  const list = useInfiniteQuery(
    askPages("listIpLicenses", { params: { organization_id: organizationId, ip } }),
  );
  const customers = new Map<string, string>();
  const licenses: BlockChoice[] = [];
  for (const row of flat(list.data)) {
    if (row.global_customer_id !== null)
      customers.set(row.global_customer_id, row.customer_name ?? row.customer_email ?? t("onDiscord"));
    licenses.push({
      label: [row.license_key, row.customer_name ?? row.customer_email].filter(Boolean).join(" · "),
      scope: { level: "license", licenseId: row.license_id },
    });
  }
  return [
    { label: "", scope: { level: "organization", organizationId } },
    ...Array.from(
      customers,
      ([customerId, label]): BlockChoice => ({
        label,
        scope: { level: "customer", organizationId, customerId },
      }),
    ),
    ...licenses,
  ];
}

/** The licenses that have registered an IP address or were used from it. */
function IpLicenses({ ip }: { ip: string }) {
  const { t } = useTranslation("ips");
  const may = useMay();
  const { id: organizationId, slug } = useOrganization();
  const list = useInfiniteQuery(
    askPages("listIpLicenses", { params: { organization_id: organizationId, ip } }),
  );
  const products = useProducts();
  const nameOf = (productId: string) => products.data?.find(({ id }) => id === productId)?.name;
  return (
    <LicenseList
      title={t("licensesUsed")}
      list={list}
      idOf={(row) => row.license_id}
      productOf={(row) => nameOf(row.product_id) ?? <Faint>–</Faint>}
      columns={[
        {
          header: t("customer"),
          wide: true,
          cell: ({ customer_name, customer_email, global_customer_id: id }) => {
            const name = customer_name ?? customer_email ?? (id && t("onDiscord"));
            if (name === null) return <Faint>–</Faint>;
            return id !== null && may("customers:view", "customers:manage") ? (
              <GoLink to={paths.customer(slug, id)} inherit>
                {name}
              </GoLink>
            ) : (
              name
            );
          },
        },
        { header: t("registered"), wide: true, at: (row) => row.registered_at, never: t("notRegistered") },
        {
          header: t("devices"),
          wide: true,
          cell: ({ device_ids: ids, license_id: licenseId }) =>
            (ids ?? []).length === 0 ? <Faint>–</Faint> : <DeviceIds ids={ids} licenseId={licenseId} />,
        },
        { header: t("requests"), wide: true, count: (row) => row.hits },
        { header: t("lastSeen"), at: (row) => row.last_seen_at },
      ]}
      empty={t("noLicenses")}
    />
  );
}
