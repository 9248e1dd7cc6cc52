import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Form } from "../../ui/form.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import { MissingPage } from "../../ui/missing-page.tsx";
import { Page } from "../../ui/page.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";

export function NewProductPage() {
  const { t } = useTranslation("products");
  const { id, slug } = useOrganization();
  const may = useMay();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const create = useChange("createProduct");
  if (!may("products:manage")) return <MissingPage />;
  const submit = () => {
    create.mutate({ params: { organization_id: id }, body: { name } });
  };
  return (
    <Page narrow title={t("new.title")} lead={t("new.lead")}>
      <Form onSubmit={submit} typed={name} error={create.error}>
        <Stack>
          <ProblemAlert error={create.error} beside={["name"]} />
          <TextInput
            label={t("name")}
            description={t("new.nameHint")}
            required
            maxLength={100}
            data-autofocus
            autoFocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldError(create.error, "name")}
          />
          <Text size="sm" c="dimmed">
            {t("new.defaults")}
          </Text>
          <Group gap="xs">
            <Button type="submit" loading={create.isPending}>
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
