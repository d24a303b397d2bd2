import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../kernel/principal.ts'
import { type SettingsDeps, settingsRoutes } from './server-settings.ts'

const never = new AbortController().signal

const JIRA = {
  id: 'jira',
  name: 'Jira',
  label: 'sensitive',
  transport: 'stdio',
  isKnown: true,
  enabled: true,
  source: { kind: 'catalog', name: 'jira' },
  allowedDomains: ['api.example.com'],
  env: { SITE: 'acme', NODE_ENV: 'production' },
  auth: { TOKEN: { scheme: 'vault', name: 'jira_token' } },
  sandbox: { readPaths: [], writePaths: ['/srv/notes'] },
}

function routes(definition: object = JIRA) {
  const edits: unknown[] = []
  const loaded = [
    { definition, scope: 'user' },
    { definition: { ...JIRA, id: 'jira-work', name: 'Jira (work)' }, scope: 'user' },
  ]
  const credentials = [
    { key: 'SITE', title: 'site name' },
    { key: 'FOLDERS', title: 'folder', place: 'folders' },
    { key: 'TOKEN', secret: 'jira_token', title: 'API token', where: 'at example.com' },
  ]
  const deps = {
    principal: OWNER,
    catalog: { services: [{ slug: 'jira', title: 'Jira', credentials, oauth: [] }] },
    definitions: {
      load: async () => ({ servers: loaded, problems: [] }),
      edit: async (...edit: unknown[]) => edits.push(edit),
    },
    servers: { refresh: async () => edits.push('refresh') },
    vault: { resolves: async () => true },
    accounts: { find: async () => '@ana' },
    data: { find: () => undefined },
  } as unknown as SettingsDeps
  return { edits, ...settingsRoutes(deps) }
}

test('mcp.settings shows what can be changed, and neither a reference nor an undeclared variable', async () => {
  const shown = await routes()['mcp.settings'].handle({ server: 'jira' }, never)
  assert.deepEqual(shown.access, {
    kind: 'token',
    isThere: true,
    title: 'API token',
    where: 'at example.com',
  })
  assert.deepEqual(shown.settings, [{ key: 'SITE', title: 'site name', value: 'acme' }])
  assert.deepEqual(shown.accounts, [{ server: 'jira-work', name: 'Jira (work)' }])
  assert.doesNotMatch(JSON.stringify(shown), /jira_token|NODE_ENV/)
})

test('mcp.settings tells a keyfile, a sign-in and no credential apart', async () => {
  const access = async (definition: object) =>
    (await routes({ ...JIRA, ...definition })['mcp.settings'].handle({ server: 'jira' }, never))
      .access
  const file = { auth: { TOKEN: { scheme: 'file', name: '~/.jira_token' } } }
  assert.partialDeepStrictEqual(await access(file), { kind: 'token', keyfile: '~/.jira_token' })
  const oauth = { auth: { bearer: { scheme: 'oauth', name: 'jira' } } }
  assert.deepEqual(await access(oauth), { kind: 'oauth', isThere: true, account: '@ana' })
  assert.deepEqual(await access({ auth: {}, isKnown: false }), { kind: 'none' })
})

test('mcp.configure changes hosts, folders and declared settings, then looks at the servers again', async () => {
  const { edits, 'mcp.configure': configure } = routes()
  const changes = { label: 'internal', readPaths: ['~/notes'], allowedDomains: [] }
  await configure.handle(
    { server: 'jira', changes: { ...changes, settings: { SITE: 'b' } } },
    never,
  )
  assert.deepEqual(edits, [['jira', { ...changes, env: { SITE: 'b' } }], 'refresh'])
})

test('WEB-6: mcp.configure names no program, argument or variable', async () => {
  const { edits, 'mcp.configure': configure } = routes()
  for (const changes of [
    { command: 'sh' },
    { args: ['-c'] },
    { env: { A: 'b' } },
    { auth: { A: 'file:/etc/passwd' } },
    { url: 'https://evil.example' },
  ]) {
    assert.equal(configure.input.safeParse({ server: 'jira', changes }).success, false)
  }
  const set = (key: string, value: string) =>
    configure.handle({ server: 'jira', changes: { settings: { [key]: value } } }, never)
  await assert.rejects(set('NODE_ENV', 'x'), { code: 'kernel.setting' })
  await assert.rejects(set('FOLDERS', 'x'), { code: 'kernel.setting' })
  const token = `ghp_${'a1B2'.repeat(9)}`
  await assert.rejects(set('SITE', token), (error: Error) => !error.message.includes(token))
  const { 'mcp.configure': stranger } = routes({ ...JIRA, isKnown: false })
  const changes = { settings: { SITE: 'x' } }
  await assert.rejects(stranger.handle({ server: 'jira', changes }, never), {
    code: 'kernel.setting',
  })
  assert.deepEqual(edits, [])
})
