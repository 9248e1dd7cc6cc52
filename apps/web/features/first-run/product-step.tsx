import { Button, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { reloadAfter } from "../../api/queries.ts";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import classes from "./first-run.module.css";
import type { Organization } from "./progress.ts";
import { StepCard } from "./step-card.tsx";

interface ProductStepProps {
  readonly organization: Organization;
  readonly onMade: (apiKey: string) => void;
}

export function ProductStep({ organization, onMade }: ProductStepProps) {
  const { t } = useTranslation("identity");
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => call("createProduct", { params: { organization_id: organization.id }, body: { name } }),
    // Take the key before the page reloads the products and moves to the next step.
    onSuccess: ({ api_key: apiKey }) => {
      onMade(apiKey);
      return reloadAfter("createProduct");
    },
    gcTime: 0,
  });
  const submit = () => {
    create.mutate();
  };
  return (
    <StepCard step="product" title={t("setup.product.title")} lead={t("setup.product.lead")}>
      <Form onSubmit={submit} typed={name} error={create.error}>
        <Stack>
          <ProblemAlert error={create.error} beside={["name"]} />
          <TextInput
            label={t("setup.product.name")}
            placeholder={t("setup.product.example")}
            required
            withAsterisk={false}
            autoFocus
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldError(create.error, "name")}
          />
          <Button type="submit" className={classes.onward ?? ""} loading={create.isPending}>
            {t("setup.product.do")}
          </Button>
        </Stack>
      </Form>
    </StepCard>
  );
}
