import { Skeleton, Stack } from "@mantine/core";

/** In the shape of a tab, below a head that stays where it is. */
export function TabWaiting() {
  return (
    <Stack gap="lg" aria-hidden="true">
      <Skeleton height={210} radius="lg" />
      <Skeleton height={150} radius="lg" />
    </Stack>
  );
}
