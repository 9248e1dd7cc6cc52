import type { Plan } from "@countersign/domain/quota/limit";
import { Alert, Button, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ask, reloadAfter, useChange } from "../../api/queries.ts";
import { saveLastOrganization } from "../../session/last-organization.ts";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { SecretBox } from "../../ui/secret-once.tsx";
import { AuthCard } from "../identity/auth-card.tsx";
import { bodyOf, noOrganization, OrganizationFields } from "../identity/organization-fields.tsx";
import classes from "./first-run.module.css";
import type { Organization, Product } from "./progress.ts";
import { useProgress } from "./progress.ts";
import { PurposeStep } from "./purpose-step.tsx";
import { StepCard } from "./step-card.tsx";
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
  const standing = useProgress();
  // First: while the next step is loading, the key and its checkbox must stay.
  if (apiKey !== null && !isStored) return <KeyStep apiKey={apiKey} onStored={() => setStored(true)} />;
  if (standing.step === "unknown") {
    return (
      <AuthCard title={t("setup.title")}>
        <ProblemAlert error={standing.error} />
        {standing.error === null && (
          <Stack aria-hidden="true">
            <Skeleton height={56} />
            <Skeleton height={36} />
          </Stack>
        )}
      </AuthCard>
    );
  }
  switch (standing.step) {
    case "purpose":
      return <PurposeStep />;
    case "organization":
      return <OrganizationStep defaultPlan={standing.defaultPlan} />;
    case "product":
      return <ProductStep organization={standing.organization} onMade={showKey} />;
    case "license":
      return <LicenseStep product={standing.product} email={email} />;
    case "try":
      return <TryStep {...standing} apiKey={apiKey} onNewKey={showKey} />;
  }
}

/** The platform admin's own organization has no limits. */
function OrganizationStep({ defaultPlan }: { defaultPlan: Plan }) {
  const { t } = useTranslation("identity");
  const [draft, setDraft] = useState(noOrganization);
  const isLimited = defaultPlan !== "enterprise";
  // Created, but perhaps its plan is not set yet: a retry must not create a second one.
  const made = useRef<Organization>(null);
  const create = useMutation({
    mutationFn: async () => {
      made.current ??= await call("createOrganization", { body: bodyOf(draft) });
      const { id, slug } = made.current;
      if (isLimited)
        await call("updatePlatformOrganization", {
          params: { organization_id: id },
          body: { plan: "enterprise" },
        });
      saveLastOrganization(slug);
    },
    onSuccess: () => reloadAfter("createOrganization"),
  });
  const submit = () => {
    create.mutate();
  };
  return (
    <StepCard step="organization" title={t("setup.organization.title")} lead={t("setup.organization.lead")}>
      <Form onSubmit={submit} typed={draft} error={create.error}>
        <Stack>
          <ProblemAlert error={create.error} beside={["name", "slug"]} />
          <OrganizationFields draft={draft} onChange={setDraft} error={create.error} />
          {isLimited && (
            <Text size="sm" c="dimmed">
              {t("setup.organization.unlimited")}
            </Text>
          )}
          <Button type="submit" className={classes.onward ?? ""} loading={create.isPending}>
            {t("organization.do")}
          </Button>
        </Stack>
      </Form>
    </StepCard>
  );
}

interface ProductStepProps {
  readonly organization: Organization;
  readonly onMade: (apiKey: string) => void;
}

function ProductStep({ organization, onMade }: ProductStepProps) {
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

/** The platform admin is the first customer, unless they enter another. */
function LicenseStep({ product, email }: { product: Product; email: string }) {
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
