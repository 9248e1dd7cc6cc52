import type { Plan } from "@countersign/domain/quota/limit";
import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { reloadAfter } from "../../api/queries.ts";
import { saveLastOrganization } from "../../session/current-organization.ts";
import { Form } from "../../ui/form.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { bodyOf, noOrganization, OrganizationFields } from "../identity/organization-fields.tsx";
import classes from "./first-run.module.css";
import type { Organization } from "./progress.ts";
import { StepCard } from "./step-card.tsx";

/** The platform admin's own organization has no limits. */
export function OrganizationStep({ defaultPlan }: { defaultPlan: Plan }) {
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
