/** For how long nobody else takes over a job that shows no sign of life. */
export const leaseMs = 10_000;

/** Somebody else works on the job now, or it is to be left for later. */
export class LeftAlone extends Error {}
