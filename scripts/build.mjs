import { ensureInstalled } from "./toolchain.mjs";
import { ensureBuilt } from "./web-build.mjs";

ensureInstalled();
ensureBuilt();
