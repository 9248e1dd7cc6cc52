export const tabs = ["deliveries", "statistics", "settings", "verify"] as const;
export type Tab = (typeof tabs)[number];
export const deliveryStates = ["pending", "delivered", "failed", "held"] as const;
export type DeliveryState = (typeof deliveryStates)[number];
