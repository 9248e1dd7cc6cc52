import { Badge, Group, Select, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { usePlanName } from "./plan-names.ts";
import { SearchedList } from "./searched-list.tsx";
import { ListedSubscription } from "./subscription-text.tsx";
import { billingStates, overrides, plans } from "./terms.ts";

const adminOrganizationsRoute = getRouteApi("/signed-in/admin/admin-layout/organizations");

type Organization = Item<"listPlatformOrganizations">;

export function OrganizationsPage() {
  const { t, i18n } = useTranslation("admin");
  const planName = usePlanName();
  const figure = (value: number) => <span className="figures">{value.toLocaleString(i18n.language)}</span>;
  const search = adminOrganizationsRoute.useSearch();
  const navigate = adminOrganizationsRoute.useNavigate();
  const list = useInfiniteQuery(
    askPages("listPlatformOrganizations", {
      query: {
        ...(search.q === undefined ? {} : { q: search.q }),
        ...(search.plan === undefined ? {} : { plan: search.plan }),
        ...(search.billing === undefined ? {} : { billing_state: search.billing }),
        ...(search.status === undefined
          ? {}
          : { suspended: search.status === "suspended" ? "true" : "false" }),
      },
    }),
  );
  const rows = flat(list.data);
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  const columns: Column<Organization>[] = [
    {
      id: "name",
      header: t("organizations.name"),
      cell: (organization) => (
        <Stack gap={0} miw={0}>
          <Group gap={6}>
            <GoLink to={paths.platformOrganization(organization.id)} size="sm" fw={600}>
              {organization.name}
            </GoLink>
            <Suspension organization={organization} />
          </Group>
          <Text size="xs" c="dimmed" className="mono">
            {organization.slug}
          </Text>
        </Stack>
      ),
    },
    {
      id: "owner",
      header: t("organizations.owner"),
      wide: true,
      cell: (organization) =>
        organization.owner === null ? (
          "–"
        ) : (
          <GoLink to={paths.user(organization.owner.id)} size="sm">
            {organization.owner.email}
          </GoLink>
        ),
    },
    {
      id: "plan",
      header: t("organizations.plan"),
      cell: (organization) => (
        <Group gap={6}>
          <Text size="sm">{planName(organization.plan)}</Text>
          {organization.billing_state !== "active" && (
            <Badge size="sm" variant="light" color="orange">
              {t(`billing.${organization.billing_state}`)}
            </Badge>
          )}
          {hasOverrides(organization) && (
            <Badge size="sm" variant="default">
              {t("organizations.customLimits")}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      id: "subscription",
      header: t("organizations.subscription"),
      wide: true,
      cell: ({ subscription }) => <ListedSubscription subscription={subscription} />,
    },
    {
      id: "requests",
      header: t("organizations.requestsToday"),
      align: "right",
      wide: true,
      cell: (organization) => figure(organization.requests_today),
    },
    {
      id: "licenses",
      header: t("organizations.licenses"),
      align: "right",
      wide: true,
      cell: (organization) => figure(organization.license_count),
    },
    {
      id: "created",
      header: t("organizations.created"),
      wide: true,
      cell: (organization) => <ListTime at={organization.created_at} />,
    },
  ];
  return (
    <SearchedList
      title={t("organizations.title")}
      lead={t("organizations.lead")}
      search={{ label: t("organizations.search"), value: search.q, onChange: (q) => set({ q }) }}
      filters={
        <>
          <Select
            w={150}
            aria-label={t("organizations.plan")}
            placeholder={t("organizations.anyPlan")}
            clearable
            data={plans.map((value) => ({ value, label: planName(value) }))}
            value={search.plan ?? null}
            onChange={(value) => set({ plan: plans.find((plan) => plan === value) })}
          />
          <Select
            w={220}
            aria-label={t("organizations.billing")}
            placeholder={t("organizations.anyBilling")}
            clearable
            data={billingStates.map((value) => ({ value, label: t(`billing.${value}`) }))}
            value={search.billing ?? null}
            onChange={(value) => set({ billing: billingStates.find((state) => state === value) })}
          />
          <Select
            w={160}
            aria-label={t("organizations.status")}
            placeholder={t("organizations.anyStatus")}
            clearable
            data={(["suspended", "notSuspended"] as const).map((value) => ({
              value,
              label: t(`status.${value}`),
            }))}
            value={search.status ?? null}
            onChange={(value) =>
              set({ status: value === "suspended" || value === "notSuspended" ? value : undefined })
            }
          />
        </>
      }
      columns={columns}
      list={list}
      rows={rows}
      empty={
        <Empty icon="search" title={t("nothingFound")}>
          {t("organizations.none")}
        </Empty>
      }
    />
  );
}

function hasOverrides(organization: Organization): boolean {
  return [...overrides, "daily_limit_override" as const, "daily_emails_override" as const].some(
    (name) => organization[name] !== null,
  );
}

function Suspension({ organization }: { organization: Organization }) {
  const { t } = useTranslation("admin");
  if (organization.suspended_at !== null)
    return (
      <Badge size="sm" variant="light" color="red">
        {t("status.suspended")}
      </Badge>
    );
  if (organization.delete_after !== null)
    return (
      <Badge size="sm" variant="light" color="orange">
        {t("status.deletionPending")}
      </Badge>
    );
  return null;
}
