import { Alert, Anchor, Button, Group, Stack } from "@mantine/core";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { useChange } from "../../api/queries.ts";
import { useMe, useOrganizations } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { bodyOf, noOrganization, OrganizationFields } from "./organization-fields.tsx";

export function NewOrganizationPage() {
  const { t } = useTranslation("identity");
  const navigate = useNavigate();
  const router = useRouter();
  const me = useMe();
  const mine = useOrganizations();
  const [draft, setDraft] = useState(noOrganization);
  const create = useChange("createOrganization");
  const submit = () => {
    create.mutate({ body: bodyOf(draft) }, { onSuccess: ({ slug }) => navigate(paths.overview(slug)) });
  };
  const isFull = create.error instanceof ApiProblem && create.error.code === "organization_limit_reached";
  const owned = mine.filter((organization) => organization.is_owner).length;
  return (
    <Page
      narrow
      title={t("organization.newTitle")}
      lead={t(mine.length === 0 ? "organization.firstLead" : "organization.newLead")}
    >
      <Form onSubmit={submit} typed={draft} error={create.error}>
        <Stack maw={480}>
          {mine.length === 0 && me.is_platform_admin && (
            <Alert color="verdigris" icon={<Icon name="info" />}>
              {t("organization.setupUnfinished")}{" "}
              <Anchor component={Link} to="/setup" inherit c="inherit" underline="always">
                {t("organization.continueSetup")}
              </Anchor>
            </Alert>
          )}
          {isFull ? (
            <Alert
              color="orange"
              role="alert"
              icon={<Icon name="warning" />}
              title={t("organization.fullTitle")}
            >
              {t("organization.full", { count: owned })}
            </Alert>
          ) : (
            <ProblemAlert error={create.error} beside={["name", "slug"]} />
          )}
          <OrganizationFields draft={draft} onChange={setDraft} error={create.error} />
          <Group gap="xs">
            <Button type="submit" loading={create.isPending}>
              {t("organization.do")}
            </Button>
            {mine.length > 0 && (
              <Button variant="default" onClick={() => router.history.back()}>
                {t("everywhere:cancel")}
              </Button>
            )}
          </Group>
        </Stack>
      </Form>
    </Page>
  );
}
