/** What each route accepts, checked before anything else sees it. Unknown fields are refused. */
import { z } from 'zod'
import type { Input, Route } from './api.ts'
import { ASKING, CHANNELS, GRANT_OFFERS } from './approval-contract.ts'
import { CordonError } from './error.ts'
import { flowInputs } from './flow-inputs.ts'
import type { Json } from './json.ts'
import { SECRET_NAME } from './secret-ref.ts'
import { SEMANTICS } from './server-definition.ts'
import { ROLES } from './tool-facts.ts'

const nothing = z.strictObject({})
const path = z.string().min(1).max(4096)
const passphrase = z.string().min(1).max(1024).exactOptional()
const words = z.string().min(1).max(500).exactOptional()
const limit = z.int().min(1).max(10_000)
const time = z.iso.datetime({ offset: true }).exactOptional()
const workingFolder = path.exactOptional()
const secretName = z.string().regex(SECRET_NAME)

const server = z.string().min(1).max(200)
const tool = z.string().min(1).max(256)
const serverOnly = z.strictObject({ server })
const texts = z.record(z.string().min(1).max(200), z.string().max(4096)).exactOptional()
const changes = z.strictObject({
  name: words,
  description: z.string().max(10_000).exactOptional(),
  label: words,
  allowedDomains: z.array(z.string().max(255)).max(1000).exactOptional(),
  transport: z.enum(['stdio', 'uds', 'pipe', 'sse', 'stream-http']).exactOptional(),
  command: path.exactOptional(),
  args: z.array(z.string().max(65_536)).max(1000).exactOptional(),
  url: path.exactOptional(),
  socketPath: path.exactOptional(),
  httpPath: path.exactOptional(),
  dangerouslyAllowHttp: z.boolean().exactOptional(),
  enabled: z.boolean().exactOptional(),
  start: z.enum(['eager', 'lazy']).exactOptional(),
  version: words,
  memoryLimit: words,
  auth: texts,
  env: texts,
})
const shortId = z.string().min(1).max(64)
const flow = z.string().min(1).max(100)
/** A name, or a whole line or file that somebody pasted. */
const pasted = z.string().min(1).max(100_000)
const args = z.record(z.string(), z.json()) as z.ZodType<Readonly<Record<string, Json>>>

const inputs: { readonly [R in Route]: z.ZodType<Input<R>> } = {
  ping: nothing,
  status: nothing,
  down: nothing,
  'page.link': nothing,
  'chat.send': z.strictObject({ text: z.string().min(1).max(100_000) }),
  doctor: nothing,
  'vault.status': nothing,
  'vault.init': z.strictObject({
    source: z.enum(['keychain', 'passphrase', 'keyfile']).exactOptional(),
    passphrase,
  }),
  'vault.unlock': z.strictObject({ passphrase }),
  'vault.lock': nothing,
  'vault.list': nothing,
  'vault.set': z.strictObject({ name: secretName, value: z.string().min(1).max(65_536) }),
  'vault.remove': z.strictObject({ name: secretName }),
  'vault.rotate': z.strictObject({ passphrase }),
  'audit.read': z.strictObject({ after: z.int().min(0).exactOptional(), limit }),
  'audit.search': z.strictObject({
    text: words,
    kind: words,
    subject: words,
    since: time,
    until: time,
    limit,
  }),
  'audit.verify': z.strictObject({ head: z.hex().length(64).exactOptional() }),
  'audit.reseal': nothing,
  'mcp.list': z.strictObject({ workingFolder }),
  'mcp.show': z.strictObject({ server, workingFolder }),
  'mcp.add': z.strictObject({ server, changes }),
  'mcp.edit': z.strictObject({ server, changes }),
  'mcp.remove': z.strictObject({ server, keepSecrets: z.boolean() }),
  'mcp.start': serverOnly,
  'mcp.stop': serverOnly,
  'mcp.restart': serverOnly,
  'mcp.unsandbox': serverOnly,
  'mcp.sandbox': serverOnly,
  'mcp.logs': serverOnly,
  'mcp.tools': serverOnly,
  'mcp.changes': serverOnly,
  'mcp.accept': z.strictObject({
    server,
    tools: z.record(z.string().min(1).max(256), z.hex().length(64)),
  }),
  'mcp.call': z.strictObject({
    server,
    tool,
    args,
    callId: z.uuid().exactOptional(),
    approval: z.enum(ASKING).exactOptional(),
  }),
  'approvals.list': z.strictObject({ all: z.boolean().exactOptional() }),
  'approvals.show': z.strictObject({ id: shortId, full: z.boolean() }),
  'approvals.answer': z
    .strictObject({
      id: shortId,
      allow: z.array(z.string().max(64)).max(1000),
      grant: z.enum(GRANT_OFFERS).exactOptional(),
      server: server.exactOptional(),
      quarantine: z.boolean().exactOptional(),
      channel: z.enum(CHANNELS),
    })
    .refine(({ allow, grant, quarantine }) => !quarantine || (allow.length === 0 && !grant), {
      error: 'an answer that quarantines allows nothing',
    }),
  'approvals.follow': z.strictObject({ callId: z.string().min(1).max(500) }),
  'grants.list': nothing,
  'grants.revoke': z.strictObject({ id: shortId }),
  'mcp.migrate': z.strictObject({
    path,
    dryRun: z.boolean(),
    backup: z.boolean(),
    replace: z.boolean(),
  }),
  'mcp.undo': z.strictObject({ importId: words }),
  'mcp.trust': z.strictObject({ folder: path }),
  'mcp.untrust': z.strictObject({ folder: path }),
  'tools.list': z.strictObject({
    server: server.exactOptional(),
    search: words,
    limit: z.int().min(1).max(100).exactOptional(),
  }),
  'tools.show': z.strictObject({ server, tool }),
  'tools.set': z.strictObject({
    server,
    tool,
    enabled: z.boolean().exactOptional(),
    semantics: z.enum(SEMANTICS).exactOptional(),
    roles: z.record(z.string().min(1).max(200), z.enum(ROLES)).exactOptional(),
  }),
  'connect.start': z.strictObject({ name: pasted }),
  'connect.view': nothing,
  'connect.follow': z.strictObject({ flow, after: z.int().min(0) }),
  'connect.provide': z.strictObject({ flow, value: z.string().min(1).max(65_536) }),
  'connect.cancel': nothing,
  'connect.remove': z.strictObject({ server, keepSecrets: z.boolean() }),
  'catalog.list': nothing,
  'catalog.show': z.strictObject({ service: pasted }),
  'registry.search': z.strictObject({
    query: z.string().min(1).max(200),
    source: z.enum(['official', 'smithery']).exactOptional(),
    next: z.string().min(1).max(4096).exactOptional(),
  }),
  'registry.refresh': nothing,
  'auth.status': nothing,
  'auth.refresh': z.strictObject({ name: secretName }),
  'auth.revoke': z.strictObject({ name: secretName }),
  'auth.callback': z.strictObject({ url: z.string().min(1).max(8192) }),
  ...flowInputs,
}

export function isRoute(name: string): name is Route {
  return Object.hasOwn(inputs, name)
}

export function parseInput<R extends Route>(route: R, input: unknown): Input<R> {
  const result = inputs[route].safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const field = issue?.path.join('.') ?? ''
  // Only the field's name and the rule are told, never the value: it may be a secret.
  throw new CordonError(
    'kernel.input',
    { exit: 2, hint: 'Add `--help` to the command to see what it takes' },
    `Cannot accept ${field ? `field ${JSON.stringify(field)} of ` : ''}${route}: ${issue?.message ?? 'not valid'}`,
  )
}
