import { Alert, Anchor, Button, Group, Stack } from "@mantine/core";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { useChange } from "../../api/queries.ts";
import { useMe, useOrganizations } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { bodyOf, noOrganization, OrganizationFields } from "./organization-fields.tsx";

export function NewOrganizationPage() {
  const { t } = useTranslation("identity");
  const navigate = useNavigate();
  const router = useRouter();
  const me = useMe();
  const organizations = useOrganizations();
  const create = useChange("createOrganization");
  const form = useForm({
    start: noOrganization,
    send: async (draft) => {
      const { slug } = await create.mutateAsync({ body: bodyOf(draft) });
      await navigate(paths.overview(slug));
    },
  });
  const isFull = form.error instanceof ApiProblem && form.error.code === "organization_limit_reached";
  const owned = organizations.filter((organization) => organization.is_owner).length;
  return (
    <Page
      narrow
      title={t("organization.newTitle")}
      lead={t(organizations.length === 0 ? "organization.firstLead" : "organization.newLead")}
    >
      <Form {...form.props}>
        <Stack maw={480}>
          {organizations.length === 0 && me.is_platform_admin && (
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
            <FormProblem form={form} />
          )}
          <OrganizationFields form={form} />
          <Group gap="xs">
            <Button type="submit" loading={form.isBusy}>
              {t("organization.do")}
            </Button>
            {organizations.length > 0 && (
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
