import { Button, Group, Text } from "@mantine/core";
import { type NotificationData, notifications } from "@mantine/notifications";
import i18next from "i18next";
import { newName } from "../api/once.ts";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { notePlace } from "./note-place.ts";

let toldLast: string | null = null;

/**
 * Says that something is done; with a way back where there is one. It takes the place of what was said before: whoever
 * flips one switch after the other does not want a pile of notes over them.
 */
export function tell(words: string, undo?: () => Promise<unknown>): void {
  if (toldLast !== null) notifications.hide(toldLast);
  const id = newName();
  toldLast = id;
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
              undo().catch(tellProblem);
            }}
          >
            {i18next.t("undo")}
          </Button>
        </Group>
      ),
  });
}

/** Says why something did not work, where there is no form to say it in. */
export function tellProblem(error: unknown): void {
  const message =
    error instanceof Unreachable
      ? i18next.t("broken.unreachable")
      : error instanceof ApiProblem
        ? error.message
        : String(error);
  showNote({
    id: newName(),
    color: "red",
    title: i18next.t("broken.title"),
    // Below a title it would be paler than everybody can read.
    message: (
      <Text inherit c="var(--mantine-color-text)">
        {message}
      </Text>
    ),
    autoClose: 10_000,
    closeButtonProps: { "aria-label": i18next.t("close") },
  });
}

/** Where it hides nothing that is needed; it makes room when somebody goes on typing beneath it. */
function showNote(note: NotificationData & { readonly id: string }): void {
  let position = notePlace();
  const makeRoom = () =>
    // After the page has been drawn: a button may come with the first letter.
    requestAnimationFrame(() => {
      const better = notePlace();
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
