import { Button, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import classes from "./first-run.module.css";
import type { Product } from "./progress.ts";
import { StepCard } from "./step-card.tsx";

/** The platform admin is the first customer, unless they enter another. */
export function LicenseStep({ product, email }: { product: Product; email: string }) {
  const { t } = useTranslation("identity");
  const [customer, setCustomer] = useState(email);
  const create = useChange("createLicenses");
  const submit = () => {
    create.mutate({ params: { product_id: product.id }, body: { customer_email: customer } });
  };
  return (
    <StepCard
      step="license"
      title={t("setup.license.title")}
      lead={t("setup.license.lead", { product: product.name })}
    >
      <Form onSubmit={submit} typed={customer} error={create.error}>
        <Stack>
          <ProblemAlert error={create.error} beside={["customer_email"]} />
          <TextInput
            label={t("setup.license.email")}
            description={t("setup.license.noEmail")}
            inputWrapperOrder={["label", "input", "error", "description"]}
            type="email"
            required
            withAsterisk={false}
            autoFocus
            autoComplete="off"
            value={customer}
            onChange={(event) => setCustomer(event.currentTarget.value)}
            error={fieldError(create.error, "customer_email")}
          />
          <Button type="submit" className={classes.onward ?? ""} loading={create.isPending}>
            {t("setup.license.do")}
          </Button>
        </Stack>
      </Form>
    </StepCard>
  );
}
