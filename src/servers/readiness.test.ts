import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../kernel/principal.ts'
import type { LoadedDefinition, ServerDefinition } from '../kernel/server-definition.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { TokenStatus } from '../ports/setup-port.ts'
import { createReadiness } from './readiness.ts'

const github = parseServerId('github')

function readinessOf(
  definition: Partial<ServerDefinition>,
  { resolves = true, tokens = [] as readonly TokenStatus[] } = {},
) {
  const whole = { id: github, enabled: true, auth: {}, scopes: [], ...definition }
  const loaded = { definition: whole } as unknown as LoadedDefinition
  return createReadiness({
    owner: OWNER.id,
    definitions: { load: async () => ({ servers: [loaded], problems: [] }), stamp: () => 'a' },
    vault: { resolves: async () => resolves },
    tokens: { status: async () => tokens },
  })
}

const OAUTH = { bearer: { scheme: 'oauth', name: 'github' } } as const
const TOKEN: TokenStatus = { name: 'github', state: 'fresh', scope: 'repo read:org' }

test('a server with all it needs is ready; one that is not known is the checker’s business', async () => {
  assert.equal(await readinessOf({})(github), undefined)
  assert.equal(await readinessOf({})(parseServerId('other')), undefined)
  const ready = readinessOf({ auth: OAUTH, scopes: ['repo'] }, { tokens: [TOKEN] })
  assert.equal(await ready(github), undefined)
})

test('what is missing is told before anything runs, with the command that helps', async () => {
  const auth = { TOKEN: { scheme: 'vault', name: 'gh_token' } } as const
  const outside = { TOKEN: { scheme: 'env', name: 'GH_TOKEN' } } as const
  for (const [definition, options, said] of [
    [{ enabled: false }, {}, /switched off \| Run `cordon mcp enable github`$/],
    [{ auth }, { resolves: false }, /needs vault:gh_token.* \| Run `cordon vault set gh_token`$/],
    [{ auth: outside }, { resolves: false }, /needs env:GH_TOKEN.* \| Set it$/],
    [{ auth: OAUTH }, { resolves: false }, /oauth:github.* \| Run `cordon connect github`/],
    [
      { auth: OAUTH, scopes: ['repo', 'gist'] },
      { tokens: [TOKEN] },
      /permission gist,.* \| Run .*connect/,
    ],
  ] as const) {
    const { message = '', hint = '' } = (await readinessOf(definition, options)(github)) ?? {}
    assert.match(`${message} | ${hint}`, said)
  }
})

test('a provider that does not say what it granted is believed', async () => {
  const { scope: _scope, ...silent } = TOKEN
  const readiness = readinessOf({ auth: OAUTH, scopes: ['repo'] }, { tokens: [silent] })
  assert.equal(await readiness(github), undefined)
})

test('what its tools were refused for want of is told before they are used; others are ready', async () => {
  const wanted = { push: 'repo workflow', star: 'repo' }
  const ready = readinessOf({ auth: OAUTH }, { tokens: [{ ...TOKEN, wanted }] })
  assert.match((await ready(github, ['list', 'push']))?.message ?? '', /the permission workflow,/)
  assert.equal(await ready(github, ['list', 'star', 'toString']), undefined)
  assert.equal(await ready(github), undefined)
})

test('an edit of the definition counts at once, and without one it is read once', async () => {
  let file = { stamp: 'before', enabled: true }
  let loads = 0
  const ready = createReadiness({
    owner: OWNER.id,
    definitions: {
      async load() {
        loads += 1
        const definition = { id: github, enabled: file.enabled, auth: {}, scopes: [] }
        return { servers: [{ definition } as unknown as LoadedDefinition], problems: [] }
      },
      stamp: () => file.stamp,
    },
    vault: { resolves: async () => true },
    tokens: { status: async () => [] },
  })
  assert.equal(await ready(github), undefined)
  assert.equal(await ready(github), undefined)
  assert.equal(loads, 1)
  file = { stamp: 'after', enabled: false }
  assert.equal((await ready(github))?.code, 'servers.switched-off')
})
