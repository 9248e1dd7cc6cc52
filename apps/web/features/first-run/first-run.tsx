import { Skeleton, Stack } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { AuthCard } from "../identity/auth-card.tsx";
import { KeyStep } from "./key-step.tsx";
import { LicenseStep } from "./license-step.tsx";
import { OrganizationStep } from "./organization-step.tsx";
import { ProductStep } from "./product-step.tsx";
import { useProgress } from "./progress.ts";
import { PurposeStep } from "./purpose-step.tsx";
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
