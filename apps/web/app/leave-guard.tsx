import { useBlocker } from "@tanstack/react-router";
import { type ComponentType, useEffect, useState } from "react";
import {
  askToLeave,
  discardedByNavigation,
  guards,
  leaveQuestionLoaded,
  onFirstGuard,
  unsavedKind,
} from "../ui/unsaved.ts";

/** Asks before a link, Back, a reload or closing the tab discards unsaved changes. */
export function LeaveGuard() {
  useBlocker({ shouldBlockFn, enableBeforeUnload });
  const [Question, setQuestion] = useState<ComponentType | null>(null);
  // Loaded as soon as there is a form: by the time it is needed, the server may be unreachable.
  useEffect(
    () =>
      onFirstGuard(() => {
        import("../ui/leave-question.tsx").then(
          ({ LeaveQuestion }) => {
            setQuestion(() => LeaveQuestion);
            leaveQuestionLoaded();
          },
          () => undefined,
        );
      }),
    [],
  );
  return Question === null ? null : <Question />;
}

async function shouldBlockFn({
  current,
  next,
}: {
  current: NavigationItem;
  next: NavigationItem;
}): Promise<boolean> {
  const kind = discardedByNavigation(guards, current, next);
  return kind !== null && !(await askToLeave(kind));
}

const enableBeforeUnload = () => unsavedKind(guards) !== null;

interface NavigationItem {
  readonly pathname: string;
  readonly search: unknown;
}
