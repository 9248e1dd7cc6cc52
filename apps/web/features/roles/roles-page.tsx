import { Group, SegmentedControl, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoButton } from "../../ui/go-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { NoRoles } from "./no-roles.tsx";
import { RoleComparison } from "./role-comparison.tsx";
import { RoleList } from "./role-list.tsx";

const rolesRoute = getRouteApi("/signed-in/o/$organization/roles");

export function RolesPage() {
  const { t } = useTranslation("roles");
  const organization = useOrganization();
  const may = useMay();
  const { view = "list" } = rolesRoute.useSearch();
  const navigate = rolesRoute.useNavigate();
  const roles = useQuery(
    ask("listRoles", { params: { organization_id: organization.id }, query: { limit: 200 } }),
  );
  const rows = roles.data?.data ?? [];
  const isEmpty = roles.isSuccess && rows.length === 0;
  return (
    <Page
      wide
      title={t("title")}
      lead={t("lead")}
      actions={
        may("roles:edit") && (
          <GoButton to={paths.newRole(organization.slug)} leftSection={<Icon name="plus" size={16} />}>
            {t("new")}
          </GoButton>
        )
      }
    >
      <Stack gap="sm">
        {!isEmpty && (
          <Group>
            <SegmentedControl
              size="xs"
              aria-label={t("view.label")}
              value={view}
              onChange={(value) =>
                navigate({ search: value === "compare" ? { view: "compare" } : {}, replace: true })
              }
              data={[
                { value: "list", label: t("view.list") },
                { value: "compare", label: t("view.compare") },
              ]}
            />
          </Group>
        )}
        {isEmpty ? (
          <NoRoles />
        ) : view === "compare" && roles.isSuccess ? (
          <RoleComparison roles={rows} />
        ) : (
          <RoleList roles={rows} isPending={roles.isPending} error={roles.error} />
        )}
      </Stack>
    </Page>
  );
}
