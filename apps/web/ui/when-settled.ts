import { useDebouncedCallback } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";

/** Goes by what was typed a moment after the last letter; whoever has followed a link meanwhile is not brought back. */
export function useWhenSettled<Value>(follow: (value: Value) => void, waitMs = 150): (value: Value) => void {
  const router = useRouter();
  const settle = useDebouncedCallback((value: Value, typedOn: string) => {
    if (router.latestLocation.pathname === typedOn) follow(value);
  }, waitMs);
  return (value) => settle(value, router.latestLocation.pathname);
}
