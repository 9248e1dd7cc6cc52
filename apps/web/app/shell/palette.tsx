import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { type RefObject, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { fit } from "./fuzzy.ts";
import { useDeeds } from "./palette-deeds.tsx";
import { useFound } from "./palette-found.tsx";
import classes from "./shell.module.css";

const [store, spotlight] = createSpotlight();

interface PaletteProps {
  /** How often it was asked for. */
  readonly times: number;
  /** What was typed while it was loaded. */
  readonly typed: RefObject<string>;
  readonly onThere: () => void;
}

/** Go anywhere, begin anything, and find a license by pasting its key. */
export function Palette({ times, typed, onThere }: PaletteProps) {
  const { t } = useTranslation();
  const [term, setTerm] = useState("");
  const [settled] = useDebouncedValue(term.trim(), 200);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it opens each time it is asked to.
  useEffect(() => spotlight.open(), [times]);
  useEffect(() => {
    setTerm(typed.current);
    onThere();
  }, [typed, onThere]);
  const found = useFound(settled);
  const isLooking = found.isLooking || settled !== term.trim();
  const known = useDeeds().flatMap(({ group, actions }) => {
    const fitting = actions
      .map((action) => ({ action, fits: fit(term, action.label ?? "") }))
      .filter(({ fits }) => fits > 0)
      .sort((one, other) => other.fits - one.fits)
      .map(({ action }) => action);
    return fitting.length === 0 ? [] : [{ group, actions: fitting }];
  });
  const actions = [...found.groups, ...known];
  const first = term === "" ? undefined : actions[0]?.actions[0]?.id;
  useEffect(() => {
    if (first !== undefined) selectFirst();
  }, [first]);
  return (
    <Spotlight
      store={store}
      query={term}
      onQueryChange={setTerm}
      actions={actions}
      // What fits is chosen above: the server finds by more than the words that are shown.
      filter={(_, all) => all}
      shortcut={null}
      nothingFound={
        isLooking ? t("palette.looking") : found.isBroken ? t("palette.broken") : t("palette.nothing")
      }
      searchProps={{
        placeholder: t("palette.placeholder"),
        leftSection: <Icon name="search" />,
        "aria-label": t("findOrDo"),
      }}
      classNames={{ action: classes.found ?? "" }}
      attributes={{ content: { "aria-label": t("findOrDo") } }}
      highlightQuery
      scrollable
      // Where one types stays in its place, however much is found.
      centered={false}
      maxHeight={420}
    />
  );
}

/** What the server finds comes after Spotlight has made its choice; whoever pastes a key and presses Enter means it. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  list?.querySelector("[data-selected]")?.removeAttribute("data-selected");
  list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}
