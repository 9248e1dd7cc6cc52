import { timeZoneName } from "@countersign/domain/dates/time-zone";
import { slugOf } from "@countersign/domain/organizations/slug";
import { Alert, Anchor, Button, Group, Stack, TextInput } from "@mantine/core";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { useChange } from "../../api/queries.ts";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import { useMe, useOrganizations } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { FormProblem, type FormState, useForm } from "../../ui/use-form.tsx";

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

interface OrganizationDraft {
  readonly name: string;
  /** Null while it follows the name; the server then finds a free one. */
  readonly slug: string | null;
}

export const noOrganization: OrganizationDraft = { name: "", slug: null };

export function bodyOf({ name, slug }: OrganizationDraft) {
  const zone = browserTimeZone();
  return {
    name,
    ...(slug === null ? {} : { slug }),
    // It can be changed in the settings. Some browsers do not reveal a time zone.
    ...(timeZoneName(zone) === null ? {} : { time_zone: zone }),
  };
}

/** A name, and the slug for URLs. */
export function OrganizationFields({ form }: { readonly form: FormState<OrganizationDraft> }) {
  const { t } = useTranslation("identity");
  const { name, slug } = form.values;
  const shown = slug ?? (name.trim() === "" ? "" : slugOf(name));
  const isTaken = form.error instanceof ApiProblem && form.error.code === "slug_taken";
  return (
    <>
      <TextField
        {...form.field("name")}
        label={t("organization.name")}
        placeholder={t("organization.example")}
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
        autoComplete="organization"
      />
      <TextInput
        label={t("organization.slug")}
        description={`${location.host}/o/${shown === "" ? "…" : shown}`}
        inputWrapperOrder={["label", "input", "error", "description"]}
        classNames={{ input: "mono" }}
        autoComplete="off"
        spellCheck={false}
        maxLength={48}
        value={shown}
        onChange={(event) => {
          const typed = event.currentTarget.value.toLowerCase();
          form.set({ slug: typed === "" ? null : typed });
        }}
        error={isTaken ? t("organization.taken") : form.field("slug").error}
      />
    </>
  );
}
