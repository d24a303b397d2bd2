/**
 * A trial run of a server whose program is about to become another: it lists its tools, is compared with the pins, and
 * ends. It gets no host, no credential (a word in its place), no folder and no data of the owner's, and nothing of it is
 * kept: the server as it is now goes on beside it.
 */
import type { ToolPeek } from '../../ports/upgrade-port.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { Redactor } from '../../kernel/ports.ts'
import { createLogRing } from '../session/log-ring.ts'
import { openSession, type SessionDeps } from '../session/open-session.ts'
import type { ServerTools } from './server-tools.ts'

/** Most servers look only whether there is a token before they list their tools. */
const NO_TOKEN = 'none-in-this-trial-run'

export async function peekTools(
  deps: SessionDeps & { readonly redactor: Redactor; readonly now: () => number },
  tools: ServerTools,
  definition: ServerDefinition,
  signal: AbortSignal,
): Promise<ToolPeek> {
  const tried = new Set<string>()
  const notices: SessionDeps['notices'] = {
    raise: (kind, _server, hosts = []) => {
      if (kind === 'blocked') for (const host of hosts) tried.add(host)
    },
    resolve: () => undefined,
  }
  // Offered as always, since some servers list fewer tools to a client that takes no questions; nobody is there to answer.
  const quiet = { ...deps, elicit: deps.elicit && (async () => undefined) }
  const ring = createLogRing(deps.redactor, deps.now)
  const options = { definition: inTrial(definition), ring, prior: Promise.resolve(undefined) }
  await using session = await openSession(
    { ...quiet, notices, isBareAllowed: async () => false },
    options,
    signal,
  )
  const changes = await tools.changesTo(session.tools)
  return { changes, tried: [...tried].sort() }
}

function inTrial(definition: ServerDefinition): ServerDefinition {
  const { sealed: _sealed, auth, env, sandbox, ...rest } = definition
  const { keepsData: _data, ...cordon } = sandbox
  const placeholders = Object.keys(auth).map((name) => [name, NO_TOKEN])
  return {
    ...rest,
    auth: {},
    env: { ...env, ...Object.fromEntries(placeholders) },
    allowedDomains: [],
    sandbox: { ...cordon, mode: 'bwrap', readPaths: [], writePaths: [] },
  }
}
