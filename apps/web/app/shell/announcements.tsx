import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/queries.ts";
import { AnnouncementBar } from "../../ui/announcement-bar.tsx";

const refreshMs = 300_000;

/** What the operator of this server has to say to everyone. Each can be dismissed in this browser. */
export function Announcements() {
  const { data } = useQuery({
    ...ask("listAnnouncements"),
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  });
  const [dismissed, setDismissed] = useState(readDismissed);
  const listed = data?.data ?? [];
  return undismissed(listed, dismissed).map((announcement) => (
    <AnnouncementBar
      key={announcement.id}
      {...announcement}
      onDismiss={() => {
        const next = withDismissed(dismissed, announcement, listed);
        setDismissed(next);
        saveDismissed(next);
      }}
    />
  ));
}

const kept = "countersign.dismissed";

interface Announced {
  readonly id: string;
  readonly message: string;
}

/** The announcements that were not dismissed in this browser. One that has changed since is shown again. */
export function undismissed<A extends Announced>(announcements: readonly A[], dismissed: Dismissed): A[] {
  return announcements.filter(({ id, message }) => dismissed[id] !== message);
}

/** The messages of dismissed announcements, by ID. Those that are no longer listed are removed. */
type Dismissed = Readonly<Record<string, string>>;

export function withDismissed(before: Dismissed, { id, message }: Announced, listed: readonly Announced[]) {
  const still = listed.filter((one) => one.id in before).map((one) => [one.id, before[one.id] ?? ""]);
  return { ...Object.fromEntries(still), [id]: message } as Dismissed;
}

function readDismissed(): Dismissed {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(kept) ?? "{}");
    return typeof stored === "object" && stored !== null ? (stored as Dismissed) : {};
  } catch {
    return {};
  }
}

function saveDismissed(dismissed: Dismissed): void {
  localStorage.setItem(kept, JSON.stringify(dismissed));
}
