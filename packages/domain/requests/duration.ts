/** The longest duration to search for. No request takes that long: its body times out long before. */
export const mostDurationMs = 3_600_000;
