import { Anchor, Button, Stack } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { FormProblem, type FormState } from "../../ui/use-form.tsx";
import { AuthCard } from "../identity/auth-card.tsx";
import classes from "./first-run.module.css";

const steps = ["account", "purpose", "organization", "product", "license", "try"] as const;
type Step = (typeof steps)[number];

interface StepCardProps {
  readonly step: Step;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  /** Disabled while a one-time secret is shown. */
  readonly canLeave?: boolean;
}

/** One step of the first run, below the progress bar. */
export function StepCard({
  step,
  title,
  lead,
  children,
  canLeave = step !== "account" && step !== "try",
}: StepCardProps) {
  const { t } = useTranslation("identity");
  return (
    <div data-wide>
      <ProgressLine now={step} />
      <AuthCard
        title={title}
        {...(lead === undefined ? {} : { lead })}
        foot={
          canLeave && (
            <Anchor component={Link} to="/" inherit>
              {t("setup.later")}
            </Anchor>
          )
        }
      >
        {children}
      </AuthCard>
    </div>
  );
}

interface StepFormProps<Values extends object> extends Omit<StepCardProps, "canLeave"> {
  readonly form: FormState<Values>;
  /** The label of the button. */
  readonly action: string;
}

/** A step whose fields are sent together. */
export function StepForm<Values extends object>(props: StepFormProps<Values>) {
  const { form, action, children, ...card } = props;
  return (
    <StepCard {...card}>
      <Form {...form.props}>
        <Stack>
          <FormProblem form={form} />
          {children}
          <Button type="submit" className={classes.onward ?? ""} loading={form.isBusy}>
            {action}
          </Button>
        </Stack>
      </Form>
    </StepCard>
  );
}

function ProgressLine({ now }: { now: Step }) {
  const { t } = useTranslation("identity");
  const position = steps.indexOf(now);
  return (
    <nav aria-label={t("setup.progress")} className={classes.progress}>
      <ol className={classes.steps}>
        {steps.map((step, place) => (
          <li
            key={step}
            className={classes.step}
            data-done={place < position || undefined}
            aria-current={place === position ? "step" : undefined}
          >
            <span className={classes.bar} />
            <span className={classes.stepName}>
              {place < position && <Icon name="check" size={12} />}
              {t(`setup.steps.${step}`)}
            </span>
          </li>
        ))}
      </ol>
      <p className={classes.where}>
        {t("setup.where", { now: position + 1, all: steps.length })} · {t(`setup.steps.${now}`)}
      </p>
    </nav>
  );
}
