import type { RequestOutcome } from "@countersign/domain/validate/status";
import { useTranslation } from "react-i18next";
import { StateMark } from "../../ui/state-mark.tsx";
import { toneOf } from "./outcomes.ts";

/** The outcome of a request as a symbol and words. */
export function OutcomeMark({ outcome }: { outcome: RequestOutcome }) {
  const { t } = useTranslation("requests");
  return <StateMark tone={toneOf(outcome)}>{t(`outcomes.${outcome}`)}</StateMark>;
}
