import { Alert, Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { reloadAfter, useChange } from "../api/queries.ts";
import { browserTimeZone } from "../i18n/shown-time-zone.ts";
import type { Organization } from "../session/current-organization.ts";
import { mayOpen } from "../session/navigation.ts";
import { paths } from "../session/paths.ts";
import { planName, usePlans } from "../session/plan.ts";
import { Icon } from "../ui/icon.tsx";
import { GoLink } from "../ui/links.tsx";
import { notifyProblem } from "../ui/notify.tsx";
import { exactTime, shortDate } from "../ui/time.tsx";
import type { Banner } from "./banners.ts";

interface OrganizationBannersProps {
  readonly organization: Organization;
  readonly banners: readonly Banner[];
}

const fromEdgeToEdge = {
  radius: 0,
  style: { borderWidth: "0 0 1px" },
  icon: <Icon name="warning" />,
} as const;

/** Banners about payment, the plan and impersonation. Loaded only if there is one. */
export function OrganizationBanners({ organization, banners }: OrganizationBannersProps) {
  return banners.map((banner) => <OneBanner key={banner} banner={banner} organization={organization} />);
}

function OneBanner({ banner, organization }: { banner: Banner; organization: Organization }) {
  const { t, i18n } = useTranslation("billing");
  const { grace_ends_at: graceEndsAt, plan_ends_at: planEndsAt } = organization;
  switch (banner) {
    case "impersonated":
      return <Impersonated organization={organization} />;
    case "suspended":
      return (
        <Alert color="red" {...fromEdgeToEdge}>
          {t("banner.suspended")} <NextStep organization={organization} />
        </Alert>
      );
    case "grace":
      return (
        <Alert color="orange" {...fromEdgeToEdge}>
          {t("banner.grace", { time: exactTime(graceEndsAt ?? "", i18n.language) })}{" "}
          <NextStep organization={organization} />
        </Alert>
      );
    case "planEnds":
      return <PlanEnds organization={organization} endsAt={planEndsAt ?? ""} />;
  }
}

/** The billing page, or whom to tell. */
function NextStep({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation("billing");
  if (!mayOpen(organization, "settings/billing")) return t("tellPayer");
  return (
    <GoLink to={paths.billing(organization.slug)} inherit underline="always">
      {t("everywhere:openBilling")}
    </GoLink>
  );
}

function PlanEnds({ organization, endsAt }: { organization: Organization; endsAt: string }) {
  const { t, i18n } = useTranslation("billing");
  const plans = usePlans();
  return (
    <Alert color="orange" {...fromEdgeToEdge}>
      {t("banner.planEnds", {
        plan: planName(plans, organization.plan),
        date: shortDate(endsAt, i18n.language),
      })}{" "}
      {mayOpen(organization, "settings/billing") && <NextStep organization={organization} />}
    </Alert>
  );
}

/** A platform admin looks at an organization that they are not a member of. */
function Impersonated({ organization }: { readonly organization: Organization }) {
  const { t, i18n } = useTranslation("billing");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const end = useChange("endImpersonation", { reloads: false });
  const { id, name, impersonated_until: until } = organization;
  useEffect(() => {
    // Afterwards the organization is no longer listed, and its pages are gone.
    const restMs = Math.max(0, Date.parse(until ?? "") - Date.now()) + 1_000;
    const timer = setTimeout(() => void queries.invalidateQueries(), restMs);
    return () => clearTimeout(timer);
  }, [until, queries]);
  const stop = async () => {
    await end.mutateAsync({ params: { organization_id: id } });
    await navigate(paths.platformOrganization(id));
    await reloadAfter("endImpersonation");
  };
  const time = new Intl.DateTimeFormat(i18n.language, { timeStyle: "short", timeZone: browserTimeZone() });
  return (
    <Alert color="orange" {...fromEdgeToEdge} role="status">
      <Group justify="space-between" gap="xs">
        <span>
          {t("banner.impersonated", { organization: name })}{" "}
          {until !== null && t("banner.until", { time: time.format(new Date(until)) })}
        </span>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => void stop().catch(notifyProblem)}
          loading={end.isPending}
        >
          {t("banner.stop")}
        </Button>
      </Group>
    </Alert>
  );
}
