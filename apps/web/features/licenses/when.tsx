import { useState } from "react";
import { exactTime, relativeTime } from "../../ui/time.tsx";

interface WhenProps {
  readonly at: string;
  readonly language: string;
  readonly isSoon?: boolean;
}

/** As `Time`, for tables with hundreds: the exact time is written out only for whoever points at it. */
export function When({ at, language, isSoon = false }: WhenProps) {
  const [exact, setExact] = useState<string>();
  return (
    <time
      dateTime={at}
      title={exact}
      data-soon={isSoon || undefined}
      className="figures"
      onPointerEnter={() => setExact(exactTime(at, language))}
    >
      {relativeTime(at, Date.now(), language)}
    </time>
  );
}
