import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
  useBlocker,
} from "@tanstack/react-router";
import { type ComponentType, useEffect, useState } from "react";
import { ApiProblem } from "../api/problem.ts";
import { ask, queryClient } from "../api/queries.ts";
import { BrokenPage, MissingPage } from "../ui/page.tsx";
import {
  askToLeave,
  discardedByNavigation,
  guards,
  leaveQuestionLoaded,
  onFirstGuard,
  unsavedKind,
} from "../ui/unsaved.ts";

export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <LeaveGuard />
    </>
  ),
  errorComponent: BrokenPage,
  notFoundComponent: MissingPage,
});

/** Everything that requires a signed-in user. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    try {
      const me = await queryClient.ensureQueryData(ask("getMe"));
      return { me };
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) {
        const { is_open: isOpen } = await queryClient.ensureQueryData(ask("getSetup"));
        if (isOpen) throw redirect({ to: "/setup", search: { token: undefined } });
        throw redirect({
          to: "/sign-in",
          search: { next: location.href === "/" ? undefined : location.href },
        });
      }
      throw error;
    }
  },
  component: lazyRouteComponent(() => import("../app/shell/shell.tsx"), "Shell"),
});

/** Asks before a link, Back, a reload or closing the tab discards unsaved changes. */
function LeaveGuard() {
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
