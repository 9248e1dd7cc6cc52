import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { AuthCard } from "../identity/auth-card.tsx";
import { ProgressLine } from "./progress-line.tsx";
import type { Step } from "./steps.ts";

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
