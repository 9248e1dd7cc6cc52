import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import * as state from "./platform-state.ts";

onBothDatabases("values stored for the whole installation", (fixture) => {
  const { read, write } = fixture.queries(state);
  const stored = (name: string) => read.stateOf(name);

  test("a value is stored, replaced and removed under its name, and no other changes", async () => {
    const [name, other] = [newId(), newId()];
    await write.addState(other, "unchanged");
    expect(await stored(name)).toBeNull();
    await write.setState(name, "one");
    await write.setState(name, "two");
    expect(await stored(name)).toBe("two");
    await expect(write.addState(name, "three")).rejects.toThrow();
    const named = await read.statesNamed([name, other, newId()]);
    expect(Object.fromEntries(named)).toEqual({ [name]: "two", [other]: "unchanged" });
    await write.removeState(name);
    expect([await stored(name), await stored(other)]).toEqual([null, "unchanged"]);
  });

  test("values are found by the beginning of their names, and dropped together", async () => {
    const prefix = newId();
    const names = ["a", "b", "c"].map((end) => `${prefix}${end}`);
    for (const name of [...names, newId()]) await write.addState(name, "x");
    const found = async () => (await read.statesOf(prefix)).map(({ name }) => name).sort();
    expect(await found()).toEqual(names);
    await write.dropStates([]);
    await write.dropStates(names.slice(1));
    expect(await found()).toEqual(names.slice(0, 1));
  });

  test("nodes that initialize a value at the same time agree on one, and keep it", async () => {
    const name = newId();
    const initialize = (value: string) => write.initializeState(name, value);
    const values = await Promise.all(times(6, (index) => initialize(String(index))));
    expect(new Set([...values, await initialize("late"), await stored(name)]).size).toBe(1);
  });

  test("a value is replaced only if it is still the one that was read", async () => {
    const name = newId();
    await write.addState(name, "read");
    const replace = (value: string) => write.replaceState(name, "read", value);
    const replaced = await Promise.all(["a", "b", "c"].map(replace));
    expect(replaced.filter(Boolean)).toHaveLength(1);
    expect(await stored(name)).toBe(["a", "b", "c"][replaced.indexOf(true)] ?? "");
    expect(await write.lockedState(newId())).toBeNull();
  });
});
