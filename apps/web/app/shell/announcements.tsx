import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/queries.ts";
import { AnnouncementBar } from "../../ui/announcement-bar.tsx";
import { readDismissed, saveDismissed, undismissed, withDismissed } from "./dismissed.ts";

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
