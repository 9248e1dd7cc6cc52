import { Button, Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type Answer, urlOf } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, askPages, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoButton } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { MissingPage, Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { ListTime, Time } from "../../ui/time.tsx";
import { BlockSection } from "../ip-blocks/block-list.tsx";
import { LicenseList } from "../licenses/license-list.tsx";
import { CustomerDialog } from "./customer-dialog.tsx";
import classes from "./customer-page.module.css";

const customerRoute = getRouteApi("/signed-in/o/$organization/customers/$customerId");

/** One customer: profile, licenses and IP blocks. */
export function CustomerPage() {
  const { t } = useTranslation("customers");
  const may = useMay();
  const { id: organizationId, slug } = useOrganization();
  const { customerId } = customerRoute.useParams();
  const { edit } = customerRoute.useSearch();
  const navigate = customerRoute.useNavigate();
  const params = { organization_id: organizationId, customer_id: customerId };
  const { data: customer, error } = useQuery(ask("getCustomer", { params }));
  const remove = useChange("deleteCustomer");
  const deletion = useConfirm((name: string, typed: string) => ({
    title: t("delete.title"),
    children: t("delete.words", { name }),
    action: t("delete.do"),
    typed,
    onConfirm: async () => {
      await remove.mutateAsync({ params });
      notify(t("delete.done", { name }));
      await navigate(paths.customers(slug));
    },
  }));
  if (error instanceof ApiProblem && error.status === 404) return <MissingPage />;
  const above = <Back to={paths.customers(slug)}>{t("title")}</Back>;
  if (customer === undefined)
    return (
      <Page title={t("customer")} above={above}>
        <ProblemAlert error={error} />
        {error === null && <Skeleton height={160} />}
      </Page>
    );
  const name = customer.name ?? customer.email ?? t("discordNumber", { id: customer.discord_id });
  const openEdit = (isOpen: boolean) =>
    void navigate({ search: { edit: isOpen || undefined }, replace: true });
  const hasLicenses = customer.license_count > 0;
  return (
    <Page
      title={name}
      above={above}
      actions={
        may("customers:manage") && (
          <>
            <Button
              variant="default"
              leftSection={<Icon name="edit" size={16} />}
              onClick={() => openEdit(true)}
            >
              {t("everywhere:edit")}
            </Button>
            {may("licenses:view") && may("requests:view") && may("audit_log:view") && (
              <Tooltip label={t("export.help")} multiline maw={360}>
                <Button
                  variant="default"
                  component="a"
                  href={urlOf("exportCustomer", { params })}
                  download={`customer-${customerId}.jsonl`}
                  leftSection={<Icon name="download" size={16} />}
                >
                  {t("export.do")}
                </Button>
              </Tooltip>
            )}
            <Tooltip label={t("delete.hasLicenses")} disabled={!hasLicenses}>
              <Button
                variant="default"
                {...(hasLicenses ? { "data-disabled": true } : { c: "red" })}
                leftSection={<Icon name="trash" size={16} />}
                aria-disabled={hasLicenses}
                onClick={(event) =>
                  hasLicenses
                    ? event.preventDefault()
                    : deletion.ask(name, customer.email ?? customer.discord_id ?? name)
                }
              >
                {t("everywhere:delete")}
              </Button>
            </Tooltip>
          </>
        )
      }
    >
      <Stack gap="lg">
        <CustomerProfile customer={customer} />
        {may("licenses:view") && <CustomerLicenses customer={customer} />}
        {may("customers:view", "ip_blocks:manage") && (
          <BlockSection
            scope={{ level: "customer", organizationId, customerId }}
            title={t("blocks.title")}
            add={t("blocks.add")}
            empty={<Text c="dimmed">{t("blocks.none")}</Text>}
          />
        )}
      </Stack>
      <CustomerDialog
        customer={customer}
        opened={edit === true && may("customers:manage")}
        onClose={() => openEdit(false)}
        onDone={({ id }) => {
          if (id !== customerId) void navigate({ ...paths.customer(slug, id), replace: true });
        }}
      />
      {deletion.dialog}
    </Page>
  );
}

function CustomerProfile({ customer }: { customer: Answer<"getCustomer"> }) {
  const { t } = useTranslation("customers");
  const none = <span className={classes.none}>–</span>;
  return (
    <Section title={t("profile")}>
      <dl className={classes.facts}>
        <Fact name={t("form.email")}>
          {customer.email === null ? none : <Copyable value={customer.email} />}
        </Fact>
        <Fact name={t("form.name")}>{customer.name ?? none}</Fact>
        <Fact name={t("form.discord_id")}>
          {customer.discord_id === null ? none : <Copyable value={customer.discord_id} />}
        </Fact>
        <Fact name={t("licenses")}>
          <Shares {...customer.licenses} />
        </Fact>
        <Fact name={t("lastSeen")}>
          {customer.last_seen_at === null ? t("notSeen") : <Time at={customer.last_seen_at} />}
        </Fact>
        <Fact name={t("since")}>
          <Time at={customer.created_at} />
        </Fact>
      </dl>
    </Section>
  );
}

/** How many licenses are active, expired or revoked, as text and as a chart. */
function Shares({ active, expired, revoked }: { active: number; expired: number; revoked: number }) {
  const { t } = useTranslation("customers");
  const shares = { active, expired, revoked };
  const shown = (["active", "expired", "revoked"] as const).filter((status) => shares[status] > 0);
  if (shown.length === 0) return <span className={classes.none}>{t("noLicenses")}</span>;
  return (
    <>
      <span className={classes.shares} aria-hidden="true">
        {shown.map((status) => (
          <span key={status} data-status={status} style={{ flexGrow: shares[status] }} />
        ))}
      </span>
      {shown.map((status) => t(`shares.${status}`, { count: shares[status] })).join(", ")}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The customer's licenses, newest first. */
function CustomerLicenses({ customer }: { customer: Answer<"getCustomer"> }) {
  const { t } = useTranslation("customers");
  const may = useMay();
  const { id: organizationId, slug } = useOrganization();
  const list = useInfiniteQuery(
    askPages("listLicenses", {
      params: { organization_id: organizationId },
      query: { customer_id: customer.id },
    }),
  );
  const who =
    customer.email === null
      ? { customer_discord_id: customer.discord_id ?? undefined }
      : { customer_email: customer.email };
  return (
    <LicenseList
      title={t("licenses")}
      list={list}
      idOf={(license) => license.id}
      productOf={(license) => license.product_name}
      columns={[
        {
          header: t("table.expires"),
          cell: (license) =>
            license.expires_at !== null ? (
              <ListTime at={license.expires_at} />
            ) : (
              t(license.is_lifetime ? "table.never" : "table.afterFirstUse")
            ),
        },
        {
          header: t("table.ips"),
          wide: true,
          align: "right",
          cell: (license) => (
            <span className="figures">
              {license.ip_system_enabled
                ? `${license.current_unique_ip_count} / ${license.max_ips}`
                : t("table.anyIp")}
            </span>
          ),
        },
        { header: t("table.created"), wide: true, at: (license) => license.created_at },
      ]}
      empty={t("noLicenses")}
      actions={
        may("licenses:create") && (
          <GoButton size="xs" variant="default" to={paths.newLicense(slug, who)}>
            {t("newLicense")}
          </GoButton>
        )
      }
    />
  );
}
