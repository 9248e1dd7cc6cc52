import { Anchor, Button, Group, Text } from "@mantine/core";
import { type NotificationData, notifications } from "@mantine/notifications";
import i18next from "i18next";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { randomId } from "../api/send.ts";
import { billingPathFor } from "./problem-alert.tsx";

let lastNotification: string | null = null;

/**
 * Shows that something was done, with Undo where possible. It replaces the previous notification, so that several quick
 * changes do not pile up.
 */
export function notify(text: string, undo?: () => Promise<unknown>): void {
  if (lastNotification !== null) notifications.hide(lastNotification);
  const id = randomId();
  lastNotification = id;
  showNote({
    id,
    color: "verdigris",
    closeButtonProps: { "aria-label": i18next.t("close") },
    autoClose: undo === undefined ? 4_000 : 9_000,
    message:
      undo === undefined ? (
        text
      ) : (
        <Group justify="space-between" gap={4}>
          <Text inherit>{text}</Text>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => {
              notifications.hide(id);
              undo().catch(notifyProblem);
            }}
          >
            {i18next.t("undo")}
          </Button>
        </Group>
      ),
  });
}

/** Shows why something failed, where there is no form to show it in. */
export function notifyProblem(error: unknown): void {
  const message =
    error instanceof Unreachable
      ? i18next.t("broken.unreachable")
      : error instanceof ApiProblem
        ? error.message
        : String(error);
  const billing = billingPathFor(error);
  showNote({
    id: randomId(),
    color: "red",
    title: i18next.t("broken.title"),
    // Below a title, its contrast would be too low.
    message: (
      <Text inherit c="var(--mantine-color-text)">
        {message}
        {billing !== null && (
          <>
            {" "}
            {/* Notifications are outside the router. */}
            <Anchor href={billing.href} inherit underline="always">
              {i18next.t("openBilling")}
            </Anchor>
          </>
        )}
      </Text>
    ),
    autoClose: 10_000,
    closeButtonProps: { "aria-label": i18next.t("close") },
  });
}

/** Placed where it covers nothing that is needed; moves away when the user types beneath it. */
function showNote(note: NotificationData & { readonly id: string }): void {
  let position = notePosition();
  const makeRoom = () =>
    // After rendering: the first keystroke may add a button.
    requestAnimationFrame(() => {
      const better = notePosition();
      if (better === position) return;
      position = better;
      notifications.update({ ...note, position });
    });
  document.addEventListener("focusin", makeRoom);
  document.addEventListener("input", makeRoom);
  notifications.show({
    ...note,
    position,
    onClose: () => {
      document.removeEventListener("focusin", makeRoom);
      document.removeEventListener("input", makeRoom);
    },
  });
}

/** Where a notification can be shown. */
type NotePosition = "bottom-left" | "bottom-center" | "top-center";

/** What a notification would cover. */
interface Covered {
  /** Submit buttons, and the focused field. */
  readonly needed: number;
  /** All controls. */
  readonly controls: number;
}

/** The bottom, unless that covers more than the top. What is needed now counts most. */
export function positionCoveringLess(bottom: Covered, top: Covered): "bottom-center" | "top-center" {
  if (bottom.needed !== top.needed) return bottom.needed < top.needed ? "bottom-center" : "top-center";
  return bottom.controls <= top.controls ? "bottom-center" : "top-center";
}

/** On a desktop there is room below the navigation; on a phone a notification covers part of the page. */
function notePosition(): NotePosition {
  if (window.matchMedia("(min-width: 48em)").matches) return "bottom-left";
  const height = window.innerHeight;
  return positionCoveringLess(
    coveredBetween(height - noteHeight - margin, height - margin),
    coveredBetween(headerHeight + margin / 2, headerHeight + margin / 2 + noteHeight),
  );
}

const margin = 16;
const headerHeight = 52;
/** The height of two lines. */
const noteHeight = 72;

function coveredBetween(top: number, bottom: number): Covered {
  const covering = new Set<Element>();
  for (let y = top; y <= bottom; y += 12)
    for (let x = margin; x < window.innerWidth - margin; x += 16) {
      const control = document
        .elementsFromPoint(x, y)
        .find((element) => element.closest(".mantine-Notifications-root") === null)
        ?.closest("button, a[href], input, select, textarea, label, [role=switch]");
      if (control != null) covering.add(control);
    }
  const needed = [...covering].filter(
    (control) => control.matches("button[type=submit]") || control === document.activeElement,
  );
  return { needed: needed.length, controls: covering.size };
}
