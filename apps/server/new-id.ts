import { newId as nextId } from "@countersign/store/new-id";

export const newId = nextId;
