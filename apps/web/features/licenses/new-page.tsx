import { Alert, Button, Group, Select, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useChange } from "../../api/queries.ts";
import { randomId } from "../../api/send.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useNewProductPath, useProducts } from "../../session/products.ts";
import { NoProduct } from "../../ui/empty.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Created } from "./created.tsx";
import { CustomerFields, inList } from "./customer-fields.tsx";
import type { License } from "./list-route.ts";
import { MoreFields } from "./more-fields.tsx";
import { blankDraft, bodyOf, countOf, defaultsOf, type NewDraft, nextDraft, typedOf } from "./new-draft.ts";
import { TermsFields } from "./terms-fields.tsx";

const newLicenseRoute = getRouteApi("/signed-in/o/$organization/licenses/new");

/** Fields that show their own errors. */
const furtherDetails = [
  "customer_email",
  "customer_discord_id",
  "customer_name",
  "license_key",
  "count",
  "expires_at",
  "expires_in",
  "term_seconds",
  "max_ips",
  "version_pinned",
  "version_range_min",
  "version_range_max",
  "notes",
  "tags",
  "metadata",
];

export function NewLicensePage() {
  const { t } = useTranslation("licenses");
  const organization = useOrganization();
  const products = useProducts();
  const wayToProduct = useNewProductPath();
  const given = newLicenseRoute.useSearch();
  const [draft, setDraft] = useState<NewDraft>({
    ...blankDraft,
    email: given.customer_email ?? "",
    discordId: given.customer_discord_id ?? "",
  });
  const [made, setMade] = useState<readonly License[] | null>(null);
  const create = useChange("createLicenses");
  const choices = (products.data ?? []).filter(
    ({ status, closed_for_sale: isClosed }) => status !== "archived" && !isClosed,
  );
  const product = choices.find(({ id }) => id === draft.productId);
  const choose = (id: string | null) => {
    const chosen = choices.find((one) => one.id === id);
    if (chosen !== undefined) setDraft((before) => ({ ...before, ...defaultsOf(chosen) }));
  };
  const first = choices.find(({ id }) => id === given.product_id) ?? choices[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the products have loaded.
  useEffect(() => {
    if (draft.productId === "" && first !== undefined) choose(first.id);
  }, [first?.id]);
  const set = (part: Partial<NewDraft>) => setDraft((before) => ({ ...before, ...part }));

  // Retried after a lost connection, the same form creates its licenses only once.
  const sent = useRef({ text: "", key: "" });
  const submit = () => {
    const body = bodyOf(draft);
    const text = JSON.stringify([draft.productId, body]);
    if (sent.current.text !== text) sent.current = { text, key: randomId() };
    create.mutate(
      { params: { product_id: draft.productId }, body, idempotencyKey: sent.current.key },
      {
        onSuccess: (answer) => {
          sent.current = { text: "", key: "" };
          setMade(listOf(answer));
        },
      },
    );
  };
  if (made !== null)
    return (
      <Created
        licenses={made}
        mailed={product?.deliver_license_by_email ?? false}
        onAnother={() => {
          create.reset();
          setMade(null);
          setDraft(nextDraft);
        }}
      />
    );
  const above = <Back to={paths.licenses(organization.slug)}>{t("title")}</Back>;
  if (products.isSuccess && choices.length === 0)
    return (
      <Page narrow title={t("new.title")} above={above}>
        <NoProduct to={wayToProduct}>
          {t(products.data.length === 0 ? "new.noProduct" : "new.noneForSale")}
        </NoProduct>
      </Page>
    );
  const count = countOf(draft);
  const sections = { draft, set, error: create.error };
  return (
    <Page narrow title={t("new.title")} above={above}>
      <Stack gap="md">
        {products.isPending && products.fetchStatus === "idle" && (
          <Alert icon={<Icon name="info" />}>{t("new.noProductAccess")}</Alert>
        )}
        <Form onSubmit={submit} typed={typedOf(draft)} error={create.error}>
          <Stack gap="md">
            {choices.length > 1 && (
              <Select
                label={t("columns.product")}
                data={choices.map(({ id, name }) => ({ value: id, label: name }))}
                value={draft.productId}
                onChange={choose}
                allowDeselect={false}
                searchable
              />
            )}
            <Section title={t("new.customer")}>
              <CustomerFields {...sections} />
            </Section>
            <Section title={t("new.terms")}>
              <TermsFields {...sections} />
            </Section>
            <MoreFields {...sections} />
            <ProblemAlert error={create.error} beside={[...furtherDetails, ...besidesInList(create.error)]} />
            <Group justify="flex-end">
              <Button type="submit" loading={create.isPending} disabled={draft.productId === ""}>
                {t("new.do", { count })}
              </Button>
            </Group>
          </Stack>
        </Form>
      </Stack>
    </Page>
  );
}

function besidesInList(error: Error | null): string[] {
  if (!(error instanceof ApiProblem)) return [];
  return error.errors.map(({ field }) => field).filter((field) => inList.test(field));
}

function listOf(answer: Answer<"createLicenses">): readonly License[] {
  return "data" in answer ? answer.data : [answer];
}
