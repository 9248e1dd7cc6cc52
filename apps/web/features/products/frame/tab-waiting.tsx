import { Skeleton, Stack } from "@mantine/core";

/** A placeholder for a loading tab; the page header stays. */
export function TabWaiting() {
  return (
    <Stack gap="lg" aria-hidden="true">
      <Skeleton height={210} radius="lg" />
      <Skeleton height={150} radius="lg" />
    </Stack>
  );
}
