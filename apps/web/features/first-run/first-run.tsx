import type { Plan } from "@countersign/domain/quota/limit";
import { Alert, Skeleton, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ask, reloadAfter, useChange } from "../../api/queries.ts";
import { saveLastOrganization } from "../../session/current-organization.ts";
import { TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { SecretBox } from "../../ui/secret-once.tsx";
import { useForm } from "../../ui/use-form.tsx";
import { AuthCard } from "../identity/auth-card.tsx";
import { bodyOf, noOrganization, OrganizationFields } from "../identity/new-organization-page.tsx";
import { type Organization, type Product, useProgress } from "./progress.ts";
import { PurposeStep } from "./purpose-step.tsx";
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
