import { useBlocker } from "@tanstack/react-router";
import { type ComponentType, useEffect, useState } from "react";
import { askToLeave, questionIsReady } from "../ui/ask-to-leave.ts";
import { guards, lostOnTheWay, unsavedKind, whenGuarded } from "../ui/unsaved.ts";

/** Asks before links, Back, a reload or a closed tab lose what is unsaved. */
export function LeaveGuard() {
  useBlocker({ shouldBlockFn, enableBeforeUnload });
  const [Question, setQuestion] = useState<ComponentType | null>(null);
  // Fetched when a form is there, and before it is needed: by then the server may be out of reach.
  useEffect(
    () =>
      whenGuarded(() => {
        import("../ui/leave-question.tsx").then(
          ({ LeaveQuestion }) => {
            setQuestion(() => LeaveQuestion);
            questionIsReady();
          },
          () => undefined,
        );
      }),
    [],
  );
  return Question === null ? null : <Question />;
}

async function shouldBlockFn({ current, next }: { current: Place; next: Place }): Promise<boolean> {
  const kind = lostOnTheWay(guards, current, next);
  return kind !== null && !(await askToLeave(kind));
}

const enableBeforeUnload = () => unsavedKind(guards) !== null;

interface Place {
  readonly pathname: string;
  readonly search: unknown;
}
