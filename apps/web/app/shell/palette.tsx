import { CloseButton, Highlight, Input, Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import classes from "./palette.module.css";
import {
  type ActionGroup,
  fuzzyScore,
  type PaletteAction,
  usePaletteActions,
  usePaletteResults,
} from "./palette-results.tsx";

interface PaletteProps {
  /** How often it has been opened. */
  readonly times: number;
  /** The text typed while it was loading. */
  readonly typed: RefObject<string>;
  readonly onThere: () => void;
}

/** Goes to pages, starts actions, and finds a license by its pasted key. */
export function Palette({ times, typed, onThere }: PaletteProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [term, setTerm] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request opens it.
  useEffect(() => setOpen(true), [times]);
  useEffect(() => {
    setTerm(typed.current);
    onThere();
  }, [typed, onThere]);
  const close = () => setOpen(false);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      onExitTransitionEnd={() => setTerm("")}
      attributes={{ content: { "aria-label": t("search") } }}
      withCloseButton={false}
      padding={0}
      size={600}
      // The field stays in place, however many results there are.
      centered={false}
      yOffset={80}
    >
      <Search term={term} onType={setTerm} onClose={close} />
    </Modal>
  );
}

interface SearchProps {
  readonly term: string;
  readonly onType: (term: string) => void;
  readonly onClose: () => void;
}

/** A combobox: the focus stays in the field, which names the active option. */
function Search({ term, onType, onClose }: SearchProps) {
  const { t } = useTranslation();
  const id = useId();
  const [settled] = useDebouncedValue(term.trim(), 200);
  const [moved, setMoved] = useState<{ readonly term: string; readonly option: string } | null>(null);
  const results = usePaletteResults(settled);
  const groups = [...results.groups, ...fitting(usePaletteActions(), term)];
  const options = groups.flatMap(({ actions }) => actions);
  // The server's results arrive later and go first; only an option that the user moved to stays active.
  const kept = moved?.term === term ? options.find((option) => option.id === moved.option) : undefined;
  const active = kept ?? (term === "" ? undefined : options[0]);
  const idOf = (option: PaletteAction) => `${id}-${options.indexOf(option)}`;
  const activeId = active === undefined ? undefined : idOf(active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  const choose = (option: PaletteAction) => {
    onClose();
    option.do();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter while composing a character selects nothing.
    if (event.nativeEvent.isComposing || event.shiftKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (active !== undefined) choose(active);
      return;
    }
    const next = nextOption(event.key, active === undefined ? -1 : options.indexOf(active), options.length);
    const option = next === null ? undefined : options[next];
    if (option === undefined) return;
    event.preventDefault();
    setMoved({ term, option: option.id });
  };
  const isLooking = results.isLooking || settled !== term.trim();
  const state =
    options.length > 0
      ? t("palette.results", { count: options.length })
      : isLooking
        ? t("palette.searching")
        : results.isBroken
          ? t("palette.failed")
          : t("palette.nothing");
  const hasOptions = options.length > 0;
  return (
    <>
      <Input
        data-autofocus
        size="lg"
        classNames={{ input: classes.field ?? "" }}
        leftSection={<Icon name="search" />}
        rightSection={<CloseButton aria-label={t("close")} onClick={onClose} />}
        rightSectionPointerEvents="all"
        value={term}
        placeholder={t("palette.placeholder")}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
        role="combobox"
        aria-label={t("search")}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-expanded={hasOptions}
        aria-controls={hasOptions ? `${id}-list` : undefined}
        aria-activedescendant={activeId}
      />
      {hasOptions ? (
        <div className={classes.list} role="listbox" id={`${id}-list`} aria-label={t("palette.options")}>
          {groups.map(({ group, actions }, index) => (
            // biome-ignore lint/a11y/useSemanticElements: options are grouped by role; a fieldset holds fields.
            <div key={group} role="group" aria-labelledby={`${id}-group-${index}`}>
              <div className={classes.group} id={`${id}-group-${index}`} role="presentation">
                {group}
              </div>
              {actions.map((option) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys for all options.
                <div
                  key={option.id}
                  id={idOf(option)}
                  className={classes.option}
                  role="option"
                  tabIndex={-1}
                  aria-selected={option === active}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(option)}
                >
                  <Icon name={option.icon} />
                  <span className={classes.words}>
                    <Highlight component="span" inherit highlight={term.trim()}>
                      {option.label}
                    </Highlight>
                    {option.description !== undefined && (
                      <span className={classes.description}>{option.description}</span>
                    )}
                  </span>
                </div>
              ))}
            </div>
          ))}
        </div>
      ) : (
        <p className={classes.nothing} aria-hidden="true">
          {state}
        </p>
      )}
      {/* Announced after the server has responded, not after every keystroke. */}
      <p className={classes.unseen} role="status">
        {isLooking ? "" : state}
      </p>
    </>
  );
}

/** The matches of the search text, best first. */
function fitting(groups: readonly ActionGroup[], term: string): ActionGroup[] {
  return groups.flatMap(({ group, actions }) => {
    const fits = actions
      .map((action) => ({ action, fits: fuzzyScore(term, action.label) }))
      .filter(({ fits }) => fits > 0)
      .sort((one, other) => other.fits - one.fits)
      .map(({ action }) => action);
    return fits.length === 0 ? [] : [{ group, actions: fits }];
  });
}

/** The index of the option that a key activates; null for keys that do not move between options. */
export function nextOption(key: string, active: number, count: number): number | null {
  if (count === 0) return null;
  switch (key) {
    case "ArrowDown":
      return active + 1 < count ? active + 1 : 0;
    case "ArrowUp":
      return active > 0 ? active - 1 : count - 1;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
