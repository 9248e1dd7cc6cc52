// The entry `@countersign/node/http`: what the middleware of all frameworks shares.
export {};
