import { Anchor, Button, Group, Text } from "@mantine/core";
import { type NotificationData, notifications } from "@mantine/notifications";
import i18next from "i18next";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { randomId } from "../api/random-id.ts";
import { billingPathFor } from "./billing-path.ts";
import { notePosition } from "./note-position.ts";

let lastNotification: string | null = null;

/**
 * Shows that something was done, with Undo where possible. It replaces the previous notification, so that several quick
 * changes do not pile up.
 */
export function notify(words: string, undo?: () => Promise<unknown>): void {
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
        words
      ) : (
        <Group justify="space-between" gap={4}>
          <Text inherit>{words}</Text>
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
