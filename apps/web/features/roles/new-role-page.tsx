import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { usePermissions } from "../../session/permissions.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Back } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page, Waiting } from "../../ui/page.tsx";

import { isPreset, type Preset, presets } from "./presets.ts";
import { RoleForm } from "./role-form.tsx";

const newRoleRoute = getRouteApi("/signed-in/o/$organization/roles/new");

export function NewRolePage() {
  const { t } = useTranslation("roles");
  const organization = useOrganization();
  const held = usePermissions();
  const { from, copy } = newRoleRoute.useSearch();
  const original = useQuery({
    ...ask("getRole", { params: { organization_id: organization.id, role_id: copy ?? "" } }),
    enabled: copy !== undefined,
  });
  const navigate = useNavigate();
  const create = useChange("createRole");
  const preset = isPreset(from) ? from : null;
  if (copy !== undefined && original.isPending) return <Waiting />;
  const first = {
    name: original.data ? t("copyOf", { name: original.data.name }) : preset ? t(`presets.${preset}`) : "",
    permissions: (original.data?.permissions ?? (preset === null ? [] : presets[preset])).filter(
      (permission) => held.has(permission),
    ),
  };
  const list = paths.roles(organization.slug);
  return (
    <Page title={t("new")} above={<Back to={list}>{t("title")}</Back>} lead={t("newLead")}>
      <Group gap={6} my="md">
        <Dimmed>{t("startFrom")}</Dimmed>
        {(Object.keys(presets) as Preset[]).map((one) => (
          <Button
            key={one}
            size="compact-sm"
            variant={one === preset ? "light" : "default"}
            aria-pressed={one === preset}
            onClick={() => navigate({ ...paths.newRole(organization.slug, { from: one }), replace: true })}
          >
            {t(`presets.${one}`)}
          </Button>
        ))}
      </Group>
      <RoleForm
        key={copy ?? preset}
        first={first}
        isNew
        action={t("create")}
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(role) =>
          create.mutate(
            { params: { organization_id: organization.id }, body: role },
            {
              onSuccess: (made) => {
                notify(t("created", { name: made.name }));
                void navigate(list);
              },
            },
          )
        }
      />
    </Page>
  );
}
