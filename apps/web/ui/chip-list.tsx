import { ActionIcon, Button } from "@mantine/core";
import classes from "./chip-list.module.css";
import { Icon } from "./icon.tsx";

interface ChipListProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly textOf: (name: Name) => string;
  /** What the button to remove one is called, from its text. */
  readonly removeLabel: (text: string) => string;
  readonly onRemove: (name: Name) => void;
  readonly clearLabel: string;
  readonly onClear: () => void;
}

/** Active filters, each with a button to remove it, and one to remove all. */
export function ChipList<Name extends string>(props: ChipListProps<Name>) {
  const { label, names, textOf, removeLabel, onRemove, clearLabel, onClear } = props;
  if (names.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label={label}>
      {names.map((name) => (
        <li key={name} className={classes.chip}>
          {textOf(name)}
          <ActionIcon
            size="xs"
            variant="subtle"
            color="gray"
            radius="xl"
            aria-label={removeLabel(textOf(name))}
            onClick={() => onRemove(name)}
          >
            <Icon name="close" size={12} />
          </ActionIcon>
        </li>
      ))}
      {names.length > 1 && (
        <li>
          <Button size="compact-sm" variant="subtle" onClick={onClear}>
            {clearLabel}
          </Button>
        </li>
      )}
    </ul>
  );
}
