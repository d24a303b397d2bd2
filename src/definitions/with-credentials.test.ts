import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parseServerId } from '../kernel/server-id.ts'
import { createDefinitions } from './create-definitions.ts'
import { openFakeDeps } from './fake-deps.ts'

const github = parseServerId('github')
const START = {
  command: 'node',
  args: ['/usr/bin/env'],
  allowedDomains: ['api.github.com', '*.githubusercontent.com', 'db.example.com:5432'],
  auth: { TOKEN: 'vault:token', OTHER: 'vault:other' },
}

test('a credential is sealed for the hosts that are named, or for all that the server may reach', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const { definition: plain } = await definitions.add(github, START)
  assert.equal(plain.sealed, undefined)
  const seal = { TOKEN: ['api.github.com', 'raw.githubusercontent.com'], OTHER: [] }
  const { definition } = await definitions.edit(github, { seal })
  assert.deepEqual(definition.auth, plain.auth)
  assert.deepEqual(definition.sealed, {
    TOKEN: ['api.github.com', 'raw.githubusercontent.com'],
    OTHER: ['api.github.com', '*.githubusercontent.com'],
  })
})

test('a new reference keeps the seal, and unsealing keeps the reference', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  await definitions.add(github, START)
  await definitions.edit(github, { seal: { TOKEN: ['api.github.com'] } })
  const moved = await definitions.edit(github, { auth: { TOKEN: 'vault:newer' } })
  assert.deepEqual(moved.definition.sealed, { TOKEN: ['api.github.com'] })
  assert.equal(moved.definition.auth['TOKEN']?.name, 'newer')
  const open = await definitions.edit(github, { unseal: ['TOKEN'] })
  assert.equal(open.definition.sealed, undefined)
  assert.match(await readFile(open.path, 'utf8'), /TOKEN = "vault:newer"/)
})

test('what cannot be sealed is refused, and the file stays as it is', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const { path } = await definitions.add(github, START)
  const before = await readFile(path, 'utf8')
  const wishes = [
    [{ seal: { TYPO: [] } }, 'servers.unknown-credential'],
    [{ unseal: ['TYPO'] }, 'servers.unknown-credential'],
    [{ seal: { TOKEN: ['evil.example'] } }, 'servers.invalid'],
    [{ seal: { TOKEN: ['githubusercontent.com'] } }, 'servers.invalid'],
    [{ seal: { TOKEN: [] }, allowedDomains: ['db.example.com:5432'] }, 'servers.invalid'],
  ] as const
  for (const [changes, code] of wishes) {
    await assert.rejects(definitions.edit(github, changes), { code }, JSON.stringify(changes))
  }
  assert.equal(await readFile(path, 'utf8'), before)
})

test('a remote server has nothing to seal: Cordon itself sends its credentials', async () => {
  await using deps = await openFakeDeps()
  const remote = { url: 'https://mcp.example.com/mcp', auth: { bearer: 'vault:token' } }
  const definitions = createDefinitions(deps)
  await definitions.add(github, remote)
  await assert.rejects(definitions.edit(github, { seal: { bearer: [] } }), {
    code: 'servers.invalid',
    message: /expected sealed only for a variable of a server that Cordon starts in a sandbox/,
  })
})
