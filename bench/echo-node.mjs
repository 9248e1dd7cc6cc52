// A minimal JSON server on node:http.
import { createServer } from "node:http";

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ valid: true, status: "active", license_key: body.license_key }));
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`{"port":${server.address().port}}\n`));
