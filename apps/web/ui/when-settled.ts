import { useDebouncedCallback } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";

/** Applies the input shortly after the last keystroke, unless the user has left the page. */
export function useWhenSettled<Value>(follow: (value: Value) => void, waitMs = 150): (value: Value) => void {
  const router = useRouter();
  const settle = useDebouncedCallback((value: Value, typedOn: string) => {
    if (router.latestLocation.pathname === typedOn) follow(value);
  }, waitMs);
  return (value) => settle(value, router.latestLocation.pathname);
}
