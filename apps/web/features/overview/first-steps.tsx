import { ActionIcon, Group, Text, Title, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { PageLink } from "../../ui/links.tsx";
import { GoLink } from "../../ui/links.tsx";
import classes from "./overview.module.css";
import { areStepsDone, isPastFirstDays } from "./overview.ts";

/** The next steps of a new organization. Hidden when all are done or when dismissed. */
export function FirstSteps() {
  const { id, created_at: createdAt } = useOrganization();
  // Keyed by organization, because hiding applies to one organization.
  return isPastFirstDays(createdAt, Date.now()) ? null : <Steps key={id} />;
}

function Steps() {
  const { t } = useTranslation("overview");
  const { id, slug } = useOrganization();
  const storageKey = `countersign.steps.${id}`;
  const [isHidden, setHidden] = useState(() => localStorage.getItem(storageKey) !== null);
  const { steps, usedLicenses } = useSteps(!isHidden);
  const isOver = areStepsDone(steps, usedLicenses);
  useEffect(() => {
    // A completed step stays completed, even if its webhook or member is removed later.
    if (isOver === true && steps.length > 0) localStorage.setItem(storageKey, "done");
  }, [isOver, steps.length, storageKey]);
  // Hidden until everything is known, because most organizations have finished the steps.
  if (isHidden || isOver !== false) return null;
  const done = steps.filter(({ isDone }) => isDone === true).length;
  const next = steps.find(({ isDone }) => isDone === false)?.name;
  return (
    <section className={classes.steps} aria-labelledby="first-steps">
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Group gap="xs" align="baseline">
          <Title order={2} id="first-steps">
            {t("steps.title")}
          </Title>
          <Dimmed className="figures">{t("steps.progress", { done, all: steps.length })}</Dimmed>
        </Group>
        <Tooltip label={t("steps.hide")}>
          <ActionIcon
            aria-label={t("steps.hide")}
            onClick={() => {
              localStorage.setItem(storageKey, "hidden");
              setHidden(true);
            }}
          >
            <Icon name="close" size={15} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <ol className={classes.stepList}>
        {steps.map(({ name, isDone, to }) => (
          <li
            key={name}
            className={classes.step}
            data-done={isDone || undefined}
            data-next={name === next || undefined}
          >
            <span className={classes.tick}>{isDone && <Icon name="check" size={13} />}</span>
            <div>
              {isDone ? (
                <Text c="dimmed">
                  {t(`steps.${name}.do`)} <span className={classes.unseen}>{t("steps.done")}</span>
                </Text>
              ) : (
                <GoLink to={to(slug)} fw={600}>
                  {t(`steps.${name}.do`)}
                </GoLink>
              )}
              {!isDone && <Dimmed>{t(`steps.${name}.words`)}</Dimmed>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface Step {
  readonly name: "product" | "license" | "validation" | "webhook" | "member";
  /** Undefined until it is known. */
  readonly isDone: boolean | undefined;
  readonly to: (organization: string) => PageLink;
}

/** A new organization's steps to its first validation, as far as the user's permissions allow them. */
function useSteps(isWanted: boolean): {
  readonly steps: readonly Step[];
  readonly usedLicenses: number;
} {
  const { id } = useOrganization();
  const may = useMay();
  const params = { organization_id: id };
  const one = { limit: 1 } as const;
  const sells = isWanted && may("licenses:create") && may("licenses:view");
  const makesProducts = isWanted && may("products:manage");
  const makesWebhooks = isWanted && may("webhooks:manage");
  const invites = isWanted && may("members:invite");
  const seesMembers = may("members:view", "roles:edit", "members:remove");
  const products = useQuery({
    ...ask("listProducts", { params, query: one }),
    enabled: makesProducts || sells,
  });
  // Counted, not listed: with few matches among many licenses, the first page can be empty although there are more.
  const count = { ...one, count: "true" } as const;
  const licenses = useQuery({ ...ask("listLicenses", { params, query: count }), enabled: sells });
  const used = useQuery({
    ...ask("listLicenses", { params, query: { ...count, never_used: "false" } }),
    enabled: sells,
    // A user who waits for the first validation sees it arrive.
    refetchInterval: ({ state }) => ((state.data?.total ?? 0) > 0 ? false : 5_000),
  });
  const webhooks = useQuery({ ...ask("listWebhooks", { params, query: one }), enabled: makesWebhooks });
  const members = useQuery({
    ...ask("listMembers", { params, query: { limit: 2 } }),
    enabled: invites && seesMembers,
  });
  const invitations = useQuery({
    ...ask("listInvitations", { params, query: { limit: 1, state: "pending" } }),
    enabled: invites,
  });
  const product = products.data?.data[0];
  const steps: (Step & { readonly isOffered: boolean })[] = [
    { name: "product", isOffered: makesProducts, isDone: has(products.data), to: paths.newProduct },
    { name: "license", isOffered: sells, isDone: hasCounted(licenses.data), to: paths.newLicense },
    {
      name: "validation",
      isOffered: sells,
      isDone: hasCounted(used.data),
      to: product === undefined ? paths.products : (slug) => paths.integrate(slug, product.id),
    },
    { name: "webhook", isOffered: makesWebhooks, isDone: has(webhooks.data), to: paths.newWebhook },
    {
      name: "member",
      isOffered: invites,
      isDone:
        invitations.data === undefined || (seesMembers && members.data === undefined)
          ? undefined
          : (members.data?.data.length ?? 0) > 1 || invitations.data.data.length > 0,
      to: paths.members,
    },
  ];
  return { steps: steps.filter(({ isOffered }) => isOffered), usedLicenses: used.data?.total ?? 0 };
}

function hasCounted(page: { readonly total?: number | undefined } | undefined): boolean | undefined {
  return page === undefined ? undefined : (page.total ?? 0) > 0;
}

function has(page: { readonly data: readonly unknown[] } | undefined): boolean | undefined {
  return page === undefined ? undefined : page.data.length > 0;
}
