import { Alert } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";

interface RefusalProps {
  readonly error: Error | null;
  /** Words in the reader's language, by kind of problem; the server's own for the rest. */
  readonly words?: Readonly<Record<string, string>>;
  readonly beside?: readonly string[];
}

/** Why it did not work. What nearly everybody meets once is said in their own language. */
export function Refusal({ error, words = {}, beside = [] }: RefusalProps) {
  const { t } = useTranslation("identity");
  const known = error instanceof ApiProblem ? (words[error.kind] ?? waiting(error)) : undefined;
  if (known === undefined) return <ProblemAlert error={error} beside={beside} />;
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />}>
      {known}
    </Alert>
  );

  function waiting({ kind, retryAfterSeconds }: ApiProblem): string | undefined {
    if (kind !== "too-many-requests" || retryAfterSeconds === null) return undefined;
    return t("tooOften", { count: Math.ceil(retryAfterSeconds / 60) });
  }
}
