import { Button, Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { MissingPage, Page } from "../../ui/page.tsx";

import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { BlockList } from "../ip-blocks/block-list.tsx";
import { LazyBlockDialog } from "../ip-blocks/lazy-block-dialog.tsx";
import { CustomerDialog } from "./customer-dialog.tsx";
import { CustomerLicenses } from "./customer-licenses.tsx";
import { CustomerProfile } from "./customer-profile.tsx";

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
  const [isBlocking, setBlocking] = useState(false);
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
  const scope = { level: "customer", organizationId, customerId } as const;
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
          <Section
            title={t("blocks.title")}
            bare
            actions={
              may("ip_blocks:manage") && (
                <Button size="xs" variant="default" onClick={() => setBlocking(true)}>
                  {t("blocks.add")}
                </Button>
              )
            }
          >
            <BlockList scope={scope} empty={<Text c="dimmed">{t("blocks.none")}</Text>} />
          </Section>
        )}
      </Stack>
      <LazyBlockDialog scope={scope} opened={isBlocking} onClose={() => setBlocking(false)} />
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
