import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../../api/problem.ts";
import { ask } from "../../../api/queries.ts";
import { useMay, useMaySee, useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { Copy } from "../../../ui/copy.tsx";
import { Back, GoLink } from "../../../ui/links.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { WhenNear } from "../../../ui/on-demand.tsx";
import { MissingPage, Page } from "../../../ui/page.tsx";
import { ProblemAlert } from "../../../ui/problem-alert.tsx";
import { Section } from "../../../ui/section.tsx";
import { LicenseStatus } from "../../../ui/state-mark.tsx";
import { BlockSection } from "../../ip-blocks/block-list.tsx";
import { Actions } from "./actions.tsx";
import { Facts } from "./facts.tsx";
import { History } from "./history.tsx";
import { type License, useProductOf } from "./license.ts";
import classes from "./license-page.module.css";
import { RegisteredIps } from "./registered-ips.tsx";
import { StatusBanner } from "./status-banner.tsx";

// Loaded after what most users look for.
const LastRefusal = lazy(() =>
  import("../../requests/requests-section.tsx").then((file) => ({ default: file.LastRefusal })),
);
const LicenseRequests = lazy(() =>
  import("../../requests/requests-section.tsx").then((file) => ({ default: file.LicenseRequests })),
);
const TryRequest = lazy(() =>
  import("../../requests/try-request.tsx").then((file) => ({ default: file.TryRequest })),
);

const licenseRoute = getRouteApi("/signed-in/o/$organization/licenses/$licenseId");

/** Everything about one license: its status, customer, IP addresses and history. */
export function LicensePage() {
  const { t } = useTranslation("licenses");
  const { slug } = useOrganization();
  const may = useMay();
  const maySee = useMaySee();
  const { licenseId } = licenseRoute.useParams();
  const { data: license, error } = useQuery(ask("getLicense", { params: { license_id: licenseId } }));
  if (error instanceof ApiProblem && error.status === 404) return <MissingPage />;
  const above = <Back to={paths.licenses(slug)}>{t("everywhere:places.licenses")}</Back>;
  if (license === undefined)
    return (
      <Page title={t("license")} above={above}>
        <ProblemAlert error={error} />
        {error === null && <Waiting />}
      </Page>
    );
  const seesRequests = maySee("requests:view");
  return (
    <Page
      title={license.license_key}
      above={above}
      beside={
        <>
          <Copy value={license.license_key} />
          <LicenseStatus status={license.status} />
        </>
      }
      lead={[license.product_name, license.customer_name ?? license.customer_email]
        .filter((part) => part !== null)
        .join(" · ")}
      actions={<Actions license={license} />}
    >
      <div className={classes.layout}>
        <div className={classes.verdict}>
          <StatusBanner license={license} />
          {may("transfers:review") && <PendingTransfer license={license} />}
          {seesRequests && (
            <Suspense fallback={null}>
              <LastRefusal licenseId={license.id} />
            </Suspense>
          )}
        </div>
        <div className={classes.main}>
          <RegisteredIps license={license} />
          {seesRequests && (
            <Suspense fallback={<Skeleton height={160} />}>
              <LicenseRequests licenseId={license.id} />
            </Suspense>
          )}
          <BlockSection
            scope={{ level: "license", licenseId: license.id }}
            title={t("blocks.title")}
            add={t("blocks.add")}
            empty={
              <Text c="dimmed" size="sm">
                {t("blocks.none")}
              </Text>
            }
          />
          {may("products:view", "licenses:update") && <TryIt license={license} />}
          {seesRequests && (
            <WhenNear height={260}>
              <TryRequest license={license} />
            </WhenNear>
          )}
          <History license={license} />
        </div>
        <div className={classes.side}>
          <Facts license={license} />
        </div>
        <div className={classes.notesAndData}>
          <NotesAndData license={license} />
        </div>
      </div>
    </Page>
  );
}

function Waiting() {
  return (
    <div aria-hidden="true">
      <div className={classes.layout}>
        <Skeleton height={64} className={classes.verdict ?? ""} />
        <Skeleton height={360} className={classes.main ?? ""} />
        <Skeleton height={300} className={classes.side ?? ""} />
      </div>
    </div>
  );
}

/** The customer has asked to give the license to someone else, and no one has decided yet. */
export function PendingTransfer({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { id, slug } = useOrganization();
  const { data } = useQuery(
    ask("listTransfers", {
      params: { organization_id: id },
      query: { license_id: license.id, state: "pending", limit: 1 },
    }),
  );
  const [transfer] = data?.data ?? [];
  if (transfer === undefined) return null;
  const { customer_name, customer_email, customer_discord_id } = transfer.to;
  const name = customer_name ?? customer_email ?? t("discordId", { id: customer_discord_id });
  return (
    <Notice tone="info" title={t("pendingTransfer.title", { name })}>
      <GoLink to={paths.transfer(slug, transfer.id)}>{t("pendingTransfer.go")}</GoLink>
    </Notice>
  );
}

/** The request that an app sends for this license, as a command to run. */
function TryIt({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const product = useProductOf(license);
  const prefix = product?.api_keys[0]?.prefix;
  const version = license.version_pinned ?? license.version_range_min ?? undefined;
  const body = JSON.stringify({ license_key: license.license_key, ...(version && { version }) });
  const command = [
    `curl -X POST ${window.location.origin}/api/v1/validate \\`,
    `  -H 'Authorization: Bearer ${t("tryIt.apiKey")}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join("\n");
  return (
    <Section
      title={t("tryIt.title")}
      id="try-it"
      actions={<Copy value={command} label={t("everywhere:copy")} />}
    >
      <pre className={classes.code}>{command}</pre>
      <Text c="dimmed" size="sm" mt="xs">
        {t(prefix === undefined ? "tryIt.words" : "tryIt.wordsWithPrefix", {
          product: license.product_name,
          prefix,
        })}
      </Text>
    </Section>
  );
}

/** Notes, metadata and the custom response of a license. */
function NotesAndData({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { notes, metadata, custom_override: override } = license;
  if (notes === null && metadata === null && override === null) return null;
  return (
    <Section title={t("notesAndData")}>
      <Stack gap="md">
        {notes !== null && (
          <div>
            <Text c="dimmed" size="xs">
              {t("fields.notes")}
            </Text>
            <Text className={classes.notes ?? ""}>{notes}</Text>
          </div>
        )}
        {metadata !== null && <Json name={t("fields.metadata")} value={metadata} />}
        {override !== null && <Json name={t("fields.custom_override")} value={override} />}
      </Stack>
    </Section>
  );
}

function Json({ name, value }: { name: string; value: object }) {
  return (
    <div>
      <Text c="dimmed" size="xs" mb={4}>
        {name}
      </Text>
      <pre className={classes.code}>{JSON.stringify(value, null, 2)}</pre>
    </div>
  );
}
