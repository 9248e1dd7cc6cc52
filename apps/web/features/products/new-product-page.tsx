import { Button, Group, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { GoButton } from "../../ui/links.tsx";
import { MissingPage, Page } from "../../ui/page.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";

export function NewProductPage() {
  const { t } = useTranslation("products");
  const { id, slug } = useOrganization();
  const may = useMay();
  const navigate = useNavigate();
  const create = useChange("createProduct");
  const form = useForm({
    start: { name: "" },
    send: (body) => create.mutateAsync({ params: { organization_id: id }, body }),
  });
  if (!may("products:manage")) return <MissingPage />;
  return (
    <Page narrow title={t("new.title")} lead={t("new.lead")}>
      <Form {...form.props}>
        <Stack>
          <FormProblem form={form} />
          <TextField
            {...form.field("name")}
            label={t("name")}
            description={t("new.nameHint")}
            required
            maxLength={100}
            data-autofocus
            autoFocus
          />
          <Text size="sm" c="dimmed">
            {t("new.defaults")}
          </Text>
          <Group gap="xs">
            <Button type="submit" loading={form.isBusy}>
              {t("new.do")}
            </Button>
            <GoButton variant="default" to={paths.products(slug)}>
              {t("everywhere:cancel")}
            </GoButton>
          </Group>
        </Stack>
      </Form>
      <SecretOnce
        title={t("keys.newKey")}
        secret={create.data?.api_key ?? null}
        onDone={() => void navigate(paths.integrate(slug, create.data?.id ?? ""))}
      >
        {t("keys.newKeyWords", { name: create.data?.name })}
      </SecretOnce>
    </Page>
  );
}
