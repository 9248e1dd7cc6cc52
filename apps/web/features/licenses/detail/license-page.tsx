import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../../api/problem.ts";
import { ask } from "../../../api/queries.ts";
import { useMay, useMaySee, useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { Back } from "../../../ui/back.tsx";
import { Copy } from "../../../ui/copy.tsx";
import { MissingPage } from "../../../ui/missing-page.tsx";
import { WhenNear } from "../../../ui/on-demand.tsx";
import { Page } from "../../../ui/page.tsx";
import { ProblemAlert } from "../../../ui/problem-alert.tsx";
import { LicenseStatus } from "../../../ui/state-mark.tsx";
import { Actions } from "./actions.tsx";
import { Blocks } from "./blocks.tsx";
import { Facts } from "./facts.tsx";
import { History } from "./history.tsx";
import classes from "./license-page.module.css";
import { NotesAndData } from "./notes-and-data.tsx";
import { PendingTransfer } from "./pending-transfer.tsx";
import { RegisteredIps } from "./registered-ips.tsx";
import { StatusBanner } from "./status-banner.tsx";
import { TryIt } from "./try-it.tsx";

// Loaded after what most users look for.
const LastRefusal = lazy(() =>
  import("../../requests/last-refusal.tsx").then((file) => ({ default: file.LastRefusal })),
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
        .filter((words) => words !== null)
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
          <Blocks license={license} />
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
