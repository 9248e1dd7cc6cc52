import { Checkbox, Fieldset, Group, Radio, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type ChoosableType, typesByGroup } from "./event-types.ts";
import classes from "./webhooks.module.css";

interface EventTypeChoiceProps {
  readonly chosen: readonly ChoosableType[] | null;
  readonly onChange: (chosen: readonly ChoosableType[] | null) => void;
  readonly error: string | null;
}

/** All event types, including future ones, or a selection with descriptions. */
export function EventTypeChoice({ chosen, onChange, error }: EventTypeChoiceProps) {
  const { t } = useTranslation("webhooks");
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t("form.events")}
        error={error}
        value={chosen === null ? "all" : "some"}
        onChange={(value) => onChange(value === "all" ? null : [])}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={t("form.allEvents")} description={t("form.allEventsWords")} />
          <Radio value="some" label={t("form.someEvents")} />
        </Stack>
      </Radio.Group>
      {chosen !== null && (
        <div className={classes.groups}>
          {typesByGroup.map(({ group, types }) => (
            <TypeGroup key={group} group={group} types={types} chosen={chosen} onChange={onChange} />
          ))}
        </div>
      )}
    </Stack>
  );
}

interface GroupProps {
  readonly group: string;
  readonly types: readonly ChoosableType[];
  readonly chosen: readonly ChoosableType[];
  readonly onChange: (chosen: readonly ChoosableType[]) => void;
}

function TypeGroup({ group, types, chosen, onChange }: GroupProps) {
  const { t, i18n } = useTranslation("webhooks");
  const count = types.filter((type) => chosen.includes(type)).length;
  const set = (some: readonly ChoosableType[], isOn: boolean) =>
    onChange([...chosen.filter((type) => !some.includes(type)), ...(isOn ? some : [])]);
  return (
    <Fieldset className={classes.group ?? ""}>
      <Checkbox
        label={<Text fw={600}>{t(`groups.${group}`)}</Text>}
        checked={count === types.length}
        indeterminate={count > 0 && count < types.length}
        onChange={(event) => set(types, event.currentTarget.checked)}
        mb="xs"
      />
      <Stack gap={8} pl="lg">
        {types.map((type) => (
          <Checkbox
            key={type}
            size="xs"
            checked={chosen.includes(type)}
            onChange={(event) => set([type], event.currentTarget.checked)}
            label={
              <Group gap={6}>
                <span>{t(`types.${type}`)}</span>
                <Text span size="xs" c="dimmed" className="mono">
                  {type}
                </Text>
              </Group>
            }
            description={i18n.exists(`webhooks:typeHints.${type}`) ? t(`typeHints.${type}`) : undefined}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}
