"""What the declarations of all MCP servers share, in TypeScript."""

SHARED_TYPES = """\
/** What a call of an MCP tool returns. */
interface McpToolResult<T = unknown> {
  content: McpContent[];
  structuredContent?: T;
  isError?: boolean;
  [key: string]: unknown;
}

interface McpContent {
  type: string;
  text?: string;
  mimeType?: string;
  /** Bytes of an image, sound or file. They stay outside of the cell. */
  size?: number;
  /** Stands for those bytes: emit it or return it to pass them on. */
  handle?: string;
  /** Why there is no handle. */
  unavailable?: string;
  resource?: McpResource;
  [key: string]: unknown;
}

interface McpResource {
  uri: string;
  mimeType?: string;
  text?: string;
  size?: number;
  handle?: string;
  unavailable?: string;
  [key: string]: unknown;
}

interface McpResources {
  resources: {uri: string; name: string; description?: string; mimeType?: string; [key: string]: unknown}[];
  nextCursor?: string;
  [key: string]: unknown;
}

interface McpPrompts {
  prompts: {
    name: string;
    description?: string;
    arguments?: {name: string; description?: string; required?: boolean}[];
    [key: string]: unknown;
  }[];
  nextCursor?: string;
  [key: string]: unknown;
}

interface McpPrompt {
  description?: string;
  messages: {role: string; content: McpContent}[];
  [key: string]: unknown;
}

/** The tools of a server as data, with their schemas if asked for. */
interface McpApi {
  header: string;
  tools: {method: string; mcpTool: string; description: string}[];
  schemas?: {[mcpTool: string]: {inputSchema: unknown; outputSchema?: unknown}};
}

/** The structured content; else the one text as the JSON object or array that it is; else the text. */
declare function unwrap<T>(result: McpToolResult<T>): T;

declare namespace MCP {
  /** The servers as data. */
  function $api(): Promise<{header: string; servers: {server: string; serverName: string; tools: number}[]}>;
}
"""

SERVER_API = "export function $api(tool?: string, options?: {schema?: boolean}): Promise<McpApi>;"

SERVER_METHODS = {
    "resources/list": "list(input?: {cursor?: string}): Promise<McpResources>;",
    "resources/read": "read(input: {uri: string}): Promise<{contents: McpResource[]}>;",
    "prompts/list": "list(input?: {cursor?: string}): Promise<McpPrompts>;",
    "prompts/get": "get(input: {name: string; arguments?: {[name: string]: string}}): Promise<McpPrompt>;",
}
"""Requests of the protocol, as functions of the namespace that their names begin with."""
