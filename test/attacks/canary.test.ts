/** Plants a secret, runs every command that could leak it, then searches files, output and process list for it. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openCordon, type Ran } from '../fixtures/cordon.ts'
import { canary } from '../fixtures/prompts/record-prompt.ts'

const CANARY = canary('ghp_CanaryCanaryCanary0123456789abcdefgh')

/** Every spelling in which the canary must not be found. */
const SPELLINGS = [
  CANARY,
  Buffer.from(CANARY).toString('base64').replace(/=+$/, ''),
  Buffer.from(CANARY).toString('hex'),
  Buffer.from(`user:${CANARY}`).toString('base64').slice(8, -4),
]

function holdsCanary(bytes: Buffer | string): boolean {
  const text = Buffer.from(bytes).toString('latin1').toLowerCase()
  return SPELLINGS.some((spelling) => text.includes(spelling.toLowerCase()))
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** The command line of every process on this machine. */
function processWords(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      } catch {
        return ''
      }
    })
    .join('\n')
}

test('CANARY-1: a planted secret is found nowhere but encrypted in the vault', async () => {
  await using cordon = openCordon({ environment: { npm_config_registry: 'https://npm.invalid/' } })
  const outside = path.dirname(cordon.home)
  const source = path.join(outside, 'mcp.json')
  const server = {
    command: 'npx',
    args: ['-y', 'server', '--token', CANARY],
    env: { GITHUB_TOKEN: CANARY },
  }
  const remote = { url: 'https://example.com/mcp', headers: { Authorization: `Bearer ${CANARY}` } }
  writeFileSync(source, JSON.stringify({ mcpServers: { local: server, remote } }))
  const bad = path.join(outside, 'bad.json')
  writeFileSync(bad, `{"mcpServers": {"x": {"env": {"TOKEN": "${CANARY}" "oops"`)

  const answers: Ran[] = []
  const commands: readonly (readonly [readonly string[], string?])[] = [
    [['vault', 'init', '--key', 'keyfile']],
    [['vault', 'set', 'canary'], CANARY],
    [['vault', 'set', 'bad name'], CANARY],
    [['vault', 'unlock'], CANARY],
    [['mcp', 'migrate', '--from', source, '--dry-run']],
    [['mcp', 'migrate', '--from', source, '--backup']],
    [['mcp', 'migrate', '--from', bad]],
    [['mcp', 'list']],
    [['mcp', 'show', 'local']],
    [['mcp', 'show', 'remote']],
    [['vault', 'rotate']],
    [['vault', 'list']],
    [['audit', 'tail', '-n', '100']],
    [['audit', 'search', 'canary']],
    [['audit', 'export']],
    [['audit', 'verify']],
    [['status']],
    [['doctor']],
  ]
  for (const [args, stdin] of commands) {
    const running = [cordon.run(args, { stdin: stdin ?? '' })]
    running.push(cordon.run([...args, '--json'], { stdin: stdin ?? '' }))
    assert.equal(holdsCanary(processWords()), false, `process list during ${args.join(' ')}`)
    answers.push(...(await Promise.all(running)))
  }
  for (const { stdout, stderr } of answers) assert.equal(holdsCanary(stdout + stderr), false)
  const files = filesUnder(cordon.home)
  assert.ok(files.some((file) => file.endsWith('audit.jsonl')))
  assert.ok(files.some((file) => file.endsWith('local.toml')))
  assert.deepEqual(
    files.filter((file) => holdsCanary(readFileSync(file))),
    [],
  )
  // Proves that the search works: the imported file still holds the canary.
  assert.equal(holdsCanary(readFileSync(source)), true)
})
