import { writeFileSync } from "node:fs";
import { startPostgres } from "../tests/support/postgres.ts";

const s = await startPostgres({ waitsForDisk: true });
writeFileSync("/tmp/exp/a/pg.json", JSON.stringify({ url: s.url, pid: process.pid }));
setInterval(() => {}, 1e6);
