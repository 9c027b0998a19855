// The least an MCP server over HTTP can be: the SDK, its Node adapter, one tool that says what it was told.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import * as z from 'zod';

const echo = { description: 'Says what it was told', inputSchema: z.object({ text: z.string() }) };
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', echo, ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
});
const app = new Hono();
app.all('/mcp', (c) => handler.fetch(c.req.raw));
const server = createServer(getRequestListener(app.fetch));
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`echo at http://127.0.0.1:${server.address().port}/mcp \n`);
});
process.once('SIGTERM', () => process.exit(0));
