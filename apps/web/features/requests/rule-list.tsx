import { Badge, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon, type IconName } from "../../ui/icon.tsx";
import classes from "./rule-list.module.css";

export type RuleState = "passed" | "refused" | "not_reached" | "does_not_apply";

export interface ShownRule {
  readonly rule: string;
  readonly name: string;
  readonly state: RuleState;
  readonly words: string | null;
  /** The first that refuses. */
  readonly isDeciding: boolean;
  readonly hasChanged?: boolean;
}

const icons: Record<RuleState, IconName> = {
  passed: "check",
  refused: "block",
  not_reached: "minus",
  does_not_apply: "minus",
};

/** The rules of validation in order, each with its result and the fact that it looked at. */
export function RuleList({ label, rules }: { label: string; rules: readonly ShownRule[] }) {
  const { t } = useTranslation(["explain", "requests"]);
  return (
    <ol className={classes.rules} aria-label={label}>
      {rules.map(({ rule, name, state, words, isDeciding, hasChanged = false }) => (
        <li
          key={rule}
          className={classes.rule}
          data-state={state}
          data-deciding={isDeciding || undefined}
          data-plain={words === null || undefined}
        >
          <span className={classes.icon}>
            <Icon name={icons[state]} size={16} />
          </span>
          <span className={classes.name}>{name}</span>
          <div className={classes.words}>
            {isDeciding || words === null ? (
              <span className={classes.state}>{t(`results.${state}`)}</span>
            ) : (
              <VisuallyHidden>{t(`results.${state}`)}: </VisuallyHidden>
            )}
            {words !== null && <> {words}</>}
            {hasChanged && (
              <>
                {" "}
                <Badge size="sm" variant="light" tt="none">
                  {t("requests:one.changed")}
                </Badge>
              </>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
