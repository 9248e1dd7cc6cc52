/** `pending` is sent when it is due. `held` waits for its endpoint to be enabled. The others are final. */
export const deliveryStates = ["pending", "delivered", "failed", "held"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** States after which nothing more is sent, unless it is replayed. */
export const finalStates = ["failed", "delivered"] as const;
type FinalState = (typeof finalStates)[number];

/** Those before a final one. */
export const openStates = ["pending", "held"] as const;

export function isFinal(state: DeliveryState): state is FinalState {
  return state === "failed" || state === "delivered";
}
