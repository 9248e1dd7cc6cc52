/** Fixed lengths of time. A calendar day may be shorter or longer: see `time-zone`. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const daySeconds = dayMs / 1000;
