export { deviceId } from "./device-id.ts";
export { FileGraceStore, type FileGraceStoreOptions } from "./file-grace-store.ts";
