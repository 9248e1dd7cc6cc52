import { Button, Stack, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { askPages } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { SearchField } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { Faint, ListPage } from "../../ui/list.tsx";
import { CustomerDialog } from "./customer-dialog.tsx";

const customersRoute = getRouteApi("/signed-in/o/$organization/customers");

/** The organization's customers, newest first. */
export function CustomersPage() {
  const { t } = useTranslation("customers");
  const mayManage = useMay()("customers:manage");
  const { id: organizationId, slug } = useOrganization();
  const search = customersRoute.useSearch();
  const { q } = search;
  const navigate = customersRoute.useNavigate();
  const list = useInfiniteQuery({
    ...askPages("listCustomers", { params: { organization_id: organizationId }, query: { search: q } }),
    placeholderData: keepPreviousData,
  });
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  const create = mayManage && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => set({ new: true })}>
      {t("new")}
    </Button>
  );
  return (
    <ListPage
      title={t("title")}
      lead={t("lead")}
      actions={create}
      filters={<SearchField label={t("find")} value={q} onChange={(term) => set({ q: term })} />}
      list={list}
      isFiltered={q !== undefined}
      columns={[
        {
          header: t("customer"),
          fills: true,
          cell: ({ id, name, email, discord_id: discordId }) => (
            <Stack gap={0}>
              <GoLink to={paths.customer(slug, id)} fw={600}>
                {name ?? email ?? t("discordNumber", { id: discordId })}
              </GoLink>
              {name !== null && email !== null && (
                <Text inherit c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  {email}
                </Text>
              )}
            </Stack>
          ),
        },
        {
          header: t("discord"),
          wide: true,
          cell: ({ discord_id: id }) => (id === null ? <Faint>–</Faint> : <span className="mono">{id}</span>),
        },
        { header: t("licenses"), count: (customer) => customer.license_count },
        { header: t("since"), wide: true, at: (customer) => customer.created_at },
      ]}
      empty={{ icon: "customer", title: t("empty.title"), words: t("empty.words"), action: create }}
      nothing={{ icon: "search", title: t("nothing.title"), words: t("nothing.words", { q }) }}
    >
      <CustomerDialog
        opened={search.new === true && mayManage}
        onClose={() => set({ new: undefined })}
        onDone={({ id }) => void navigate(paths.customer(slug, id))}
      />
    </ListPage>
  );
}
