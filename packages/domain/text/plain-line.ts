/**
 * A text that is shown as it was written, wherever it is inserted: one line, without control characters, and without
 * characters that change the direction of what follows. Marks such as U+200F, which only affect their neighbors, are
 * part of correct Arabic and Hebrew.
 */
export const plainLine = /^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;
