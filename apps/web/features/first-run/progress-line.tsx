import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import classes from "./first-run.module.css";
import { type Step, steps } from "./steps.ts";

export function ProgressLine({ now }: { now: Step }) {
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
