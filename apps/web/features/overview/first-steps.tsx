import { ActionIcon, Group, Text, Title, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { areStepsDone, isPastFirstDays } from "./first-steps-done.ts";
import classes from "./overview.module.css";
import { useSteps } from "./steps.ts";

/** The next steps of a new organization. Hidden when all are done or when dismissed. */
export function FirstSteps() {
  const { id, created_at: createdAt } = useOrganization();
  // Keyed by organization, because hiding applies to one organization.
  return isPastFirstDays(createdAt, Date.now()) ? null : <Steps key={id} />;
}

function Steps() {
  const { t } = useTranslation("overview");
  const { id, slug } = useOrganization();
  const kept = `countersign.steps.${id}`;
  const [isHidden, setHidden] = useState(() => localStorage.getItem(kept) !== null);
  const { steps, usedLicenses } = useSteps(!isHidden);
  const isOver = areStepsDone(steps, usedLicenses);
  useEffect(() => {
    // A completed step stays completed, even if its webhook or member is removed later.
    if (isOver === true && steps.length > 0) localStorage.setItem(kept, "done");
  }, [isOver, steps.length, kept]);
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
          <Text c="dimmed" size="sm" className="figures">
            {t("steps.progress", { done, all: steps.length })}
          </Text>
        </Group>
        <Tooltip label={t("steps.hide")}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t("steps.hide")}
            onClick={() => {
              localStorage.setItem(kept, "hidden");
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
              {!isDone && (
                <Text size="sm" c="dimmed">
                  {t(`steps.${name}.words`)}
                </Text>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
