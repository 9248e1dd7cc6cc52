/**
 * Whether an event has to be distributed to webhook endpoints, by its stored value. It is a number, and null at the
 * end, because a partial index has to find the waiting events, some of which are written by validations.
 */
export const distribution = {
  waiting: 1,
  /** Written with the ID of its license alone: the license is added to its data before it is distributed. */
  waitingWithoutLicense: 2,
  /** Distributed, or not meant to be. */
  none: null,
} as const;

export type Distribution = (typeof distribution)[keyof typeof distribution];
