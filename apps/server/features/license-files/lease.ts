/** How long a job without a sign of life is left to its worker. */
export const leaseMs = 10_000;

/** Another worker has the job now, or it should be left for later. */
export class Released extends Error {}
