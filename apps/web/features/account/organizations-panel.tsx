import { Badge, Button, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Organization, useOrganizations } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { LeaveDialog } from "../members/leave-dialog.tsx";
import classes from "./account.module.css";

/** The user's organizations. Everyone can leave here, even if their role does not include the members page. */
export function OrganizationsPanel() {
  const { t } = useTranslation("account");
  const organizations = useOrganizations();
  const [leaving, setLeaving] = useState<Organization | null>(null);
  return (
    <Panel title={t("organizations.title")} lead={t("organizations.lead")}>
      {organizations.length === 0 && (
        <Text>
          {t("organizations.none")}{" "}
          <GoLink to={paths.newOrganization()} underline="always" inherit>
            {t("organizations.create")}
          </GoLink>
        </Text>
      )}
      <div>
        {organizations.map((organization) => (
          <div key={organization.id} className={classes.line}>
            <Icon name="organization" />
            <div className={classes.words}>
              <GoLink to={paths.overview(organization.slug)} fw={600}>
                {organization.name}
              </GoLink>
            </div>
            {organization.is_owner ? (
              <Badge variant="light">{t("organizations.owner")}</Badge>
            ) : (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t("organizations.leaveOne", { name: organization.name })}
                onClick={() => setLeaving(organization)}
              >
                {t("organizations.leave")}
              </Button>
            )}
          </div>
        ))}
      </div>
      <LeaveDialog organization={leaving} onClose={() => setLeaving(null)} />
    </Panel>
  );
}
