import type { Plan } from "@countersign/domain/quota/limit";
import { Alert, Button, Group, Radio, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ask, reloadAfter, useChange } from "../../api/queries.ts";
import { saveLastOrganization } from "../../session/current-organization.ts";
import { TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { RadioField } from "../../ui/radio-field.tsx";
import { SecretBox } from "../../ui/secret-once.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { AuthCard } from "../identity/auth-card.tsx";
import { bodyOf, noOrganization, OrganizationFields } from "../identity/new-organization-page.tsx";
import classes from "./first-run.module.css";
import { type Organization, type Product, useProgress } from "./progress.ts";
import { StepCard, StepForm } from "./step-card.tsx";
import { TryStep } from "./try-step.tsx";

/** The steps after the account, for the platform admin. The current step follows from what already exists. */
export function FirstRun() {
  const { data: me } = useSuspenseQuery(ask("getMe"));
  return me.is_platform_admin ? <Steps email={me.email} /> : <Navigate to="/" replace />;
}

function Steps({ email }: { email: string }) {
  const { t } = useTranslation("identity");
  // Kept only in memory: neither a reloaded page nor the server knows it.
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [isStored, setStored] = useState(false);
  const showKey = (key: string) => {
    setApiKey(key);
    setStored(false);
  };
  const progress = useProgress();
  // First: while the next step is loading, the key and its checkbox must stay.
  if (apiKey !== null && !isStored) return <KeyStep apiKey={apiKey} onStored={() => setStored(true)} />;
  if (progress.step === "unknown") {
    return (
      <AuthCard title={t("setup.title")}>
        <ProblemAlert error={progress.error} />
        {progress.error === null && (
          <Stack aria-hidden="true">
            <Skeleton height={56} />
            <Skeleton height={36} />
          </Stack>
        )}
      </AuthCard>
    );
  }
  switch (progress.step) {
    case "purpose":
      return <PurposeStep />;
    case "organization":
      return <OrganizationStep defaultPlan={progress.defaultPlan} />;
    case "product":
      return <ProductStep organization={progress.organization} onMade={showKey} />;
    case "license":
      return <LicenseStep product={progress.product} email={email} />;
    case "try":
      return <TryStep {...progress} apiKey={apiKey} onNewKey={showKey} />;
  }
}

interface PurposeDraft {
  readonly purpose: "myself" | "others";
  readonly plan: "free" | "pro";
}

/** Whether others will sell here too determines the plan of new organizations. */
function PurposeStep() {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const update = useChange("updatePlatformSettings");
  const form = useForm<PurposeDraft>({
    start: { purpose: "myself", plan: "free" },
    send: ({ purpose, plan }) =>
      update.mutateAsync({ body: { default_plan: purpose === "myself" ? "enterprise" : plan } }),
  });
  const { purpose } = form.values;
  return (
    <StepCard step="purpose" title={t("setup.purpose.title")} lead={t("setup.purpose.lead")}>
      <Form {...form.props}>
        <Stack>
          <FormProblem form={form} />
          <Radio.Group
            value={purpose}
            onChange={(value) => form.set({ purpose: value === "others" ? "others" : "myself" })}
            aria-label={t("setup.purpose.title")}
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              {(["myself", "others"] as const).map((choice) => (
                <Radio.Card key={choice} value={choice} className={classes.choice ?? ""} radius="md">
                  <Group wrap="nowrap" align="flex-start" gap="sm">
                    <Radio.Indicator mt={2} />
                    <div>
                      <Text fw={650}>{t(`setup.purpose.${choice}`)}</Text>
                      <Text c="dimmed" size="sm" mt={2}>
                        {t(`setup.purpose.${choice}Words`)}
                      </Text>
                    </div>
                  </Group>
                </Radio.Card>
              ))}
            </SimpleGrid>
          </Radio.Group>
          {purpose === "others" && (
            <>
              <RadioField
                {...form.field("plan")}
                label={t("setup.purpose.plan")}
                values={["free", "pro"]}
                words={(plan) => t(`setup.purpose.${plan}`)}
                hint={(plan) => t(`setup.purpose.${plan}Words`)}
              />
              <Alert color="gray" icon={<Icon name="info" />}>
                {t(`setup.purpose.signUp.${setup.sign_up}`)}
              </Alert>
            </>
          )}
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {t("setup.purpose.changeable")}
            </Text>
            <Button type="submit" loading={form.isBusy}>
              {t("setup.next")}
            </Button>
          </Group>
        </Stack>
      </Form>
    </StepCard>
  );
}

/** The platform admin's own organization has no limits. */
function OrganizationStep({ defaultPlan }: { defaultPlan: Plan }) {
  const { t } = useTranslation("identity");
  const isLimited = defaultPlan !== "enterprise";
  // Created, but perhaps its plan is not set yet: a retry must not create a second one.
  const made = useRef<Organization>(null);
  const form = useForm({
    start: noOrganization,
    send: async (draft) => {
      made.current ??= await call("createOrganization", { body: bodyOf(draft) });
      const { id, slug } = made.current;
      if (isLimited)
        await call("updatePlatformOrganization", {
          params: { organization_id: id },
          body: { plan: "enterprise" },
        });
      saveLastOrganization(slug);
      await reloadAfter("createOrganization");
    },
  });
  return (
    <StepForm
      step="organization"
      title={t("setup.organization.title")}
      lead={t("setup.organization.lead")}
      form={form}
      action={t("organization.do")}
    >
      <OrganizationFields form={form} />
      {isLimited && (
        <Text size="sm" c="dimmed">
          {t("setup.organization.unlimited")}
        </Text>
      )}
    </StepForm>
  );
}

interface ProductStepProps {
  readonly organization: Organization;
  readonly onMade: (apiKey: string) => void;
}

function ProductStep({ organization, onMade }: ProductStepProps) {
  const { t } = useTranslation("identity");
  const form = useForm({
    start: { name: "" },
    send: async (body) => {
      const made = await call("createProduct", { params: { organization_id: organization.id }, body });
      // Take the key before the page reloads the products and moves to the next step.
      onMade(made.api_key);
      await reloadAfter("createProduct");
    },
  });
  return (
    <StepForm
      step="product"
      title={t("setup.product.title")}
      lead={t("setup.product.lead")}
      form={form}
      action={t("setup.product.do")}
    >
      <TextField
        {...form.field("name")}
        label={t("setup.product.name")}
        placeholder={t("setup.product.example")}
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
      />
    </StepForm>
  );
}

/** The platform admin is the first customer, unless they enter another. */
function LicenseStep({ product, email }: { product: Product; email: string }) {
  const { t } = useTranslation("identity");
  const create = useChange("createLicenses");
  const form = useForm({
    start: { customer_email: email },
    send: (body) => create.mutateAsync({ params: { product_id: product.id }, body }),
  });
  return (
    <StepForm
      step="license"
      title={t("setup.license.title")}
      lead={t("setup.license.lead", { product: product.name })}
      form={form}
      action={t("setup.license.do")}
    >
      <TextField
        {...form.field("customer_email")}
        label={t("setup.license.email")}
        description={t("setup.license.noEmail")}
        inputWrapperOrder={["label", "input", "error", "description"]}
        type="email"
        required
        withAsterisk={false}
        autoFocus
        autoComplete="off"
      />
    </StepForm>
  );
}

function KeyStep({ apiKey, onStored }: { apiKey: string; onStored: () => void }) {
  const { t } = useTranslation("identity");
  return (
    <StepCard step="product" title={t("setup.key.title")} lead={t("setup.key.lead")} canLeave={false}>
      <Stack>
        <Alert color="orange" icon={<Icon name="warning" />} title={t("setup.key.notInAppsTitle")}>
          {t("setup.key.notInApps")}
        </Alert>
        <SecretBox secret={apiKey} onDone={onStored} />
      </Stack>
    </StepCard>
  );
}
