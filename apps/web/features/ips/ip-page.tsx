import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useMay, useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Back } from "../../ui/back.tsx";
import { Copy } from "../../ui/copy.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Verdict } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { LazyBlockDialog } from "../ip-blocks/lazy-block-dialog.tsx";
import { shownCidr } from "../ip-blocks/scope.ts";
import { useBlockChoices } from "./block-choices.ts";
import { IpLicenses } from "./ip-licenses.tsx";
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
