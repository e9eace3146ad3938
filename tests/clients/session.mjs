// A client made with the official TypeScript SDK: runs, suspends and resumes programs, and answers a question.
// Reads {url, approve} and writes the names of the tools, the structured results, and what it was asked.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const { url, approve } = JSON.parse(readFileSync(0, "utf8"));
const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
const asked = [];
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: { decision: approve } };
});
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const call = async (name, input) => (await client.callTool({ name, arguments: input })).structuredContent;
const ran = await call("exec", { code: "return await add({a: 1, b: 2})" });
const parked = await call("exec", { code: "await yield_control(); return 'resumed'" });
const resumed = await call("wait", { runId: parked.runId });
const decided = await call("exec", { code: "return await pay({amount: 5})" });
await client.close();
console.log(JSON.stringify({ tools, ran, parked: parked.status, resumed, decided, asked }));
