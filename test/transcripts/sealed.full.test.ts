/**
 * Services of the catalog with sealed tokens, as a person seals them: the real command line, the real servers of Notion
 * and GitHub from npm in the real sandbox, and stand-ins for both services that accept one token each.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { sweep } from '../attacks/seal/sweep.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { createGithub, GITHUB_HOST } from '../fixtures/github-stand-in.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'

const NOTION = `ntn_${'Good1234'.repeat(6)}`
const GITHUB = `ghp_${'Good12345'.repeat(4)}`
const notion = createNotion(NOTION)
const github = createGithub(GITHUB)
const world = await openOutsideWorld({
  [NOTION_HOST]: notion.answer,
  [GITHUB_HOST]: github.answer,
})
const cordon = await openCordonIn(world, 'notion', 'github')
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** A process of the sandbox in which this program runs: its first one is hidden from its own command line. */
function processOf(program: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found = pids.find((pid) => {
    try {
      const [first = ''] = readFileSync(`/proc/${pid}/root/opt/cordon/seal.pem`, 'utf8').split('\n')
      return first.includes('BEGIN') && commandOf(pid).includes(program)
    } catch {
      return false
    }
  })
  return Number(found ?? assert.fail(`${program} does not run sealed`))
}

const commandOf = (pid: string): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

const SERVICES = [
  {
    name: 'notion',
    token: NOTION,
    variable: 'NOTION_TOKEN',
    host: NOTION_HOST,
    program: 'notion-mcp-server',
    call: ['notion.API-post-search', JSON.stringify({ query: 'PFAR design doc' })],
    answer: /PFAR design doc/,
    asked: notion.asked,
  },
  {
    name: 'github',
    token: GITHUB,
    variable: 'GITHUB_PERSONAL_ACCESS_TOKEN',
    host: GITHUB_HOST,
    program: 'server-github',
    call: ['github.search_code', JSON.stringify({ q: 'TODO' })],
    answer: /total_count/,
    asked: github.asked,
  },
] as const

for (const { name, token, variable, host, program, call, answer, asked } of SERVICES) {
  test(`${name} works with a sealed token, and its sandbox never holds it`, async () => {
    const connected = await cordon.run(['connect', name], { stdin: token })
    assert.equal(connected.code, 0, connected.stderr)
    const sealing = await cordon.run(['mcp', 'edit', name, '--seal', `${variable}=${host}`])
    assert.match(sealing.stdout, /sealed: the server never holds this token; told to api\./)
    const toml = readFileSync(path.join(cordon.home, 'mcp', `${name}.toml`), 'utf8')
    assert.match(toml, /sealed = true/)
    asked.length = 0
    const found = await cordon.run(['mcp', 'call', ...call, '--yes'])
    assert.match(found.stdout, answer, found.stderr)
    assert.ok(asked.length > 0 && asked.every((line) => line.endsWith(' 200')), asked.join())
    const inside = processOf(program)
    assert.deepEqual(sweep(inside, token), [])
    assert.notDeepEqual(sweep(inside, 'CordonSealed'), [])

    const opened = await cordon.run(['mcp', 'edit', name, '--unseal', variable])
    assert.doesNotMatch(opened.stdout, /sealed/)
    assert.match((await cordon.run(['mcp', 'call', ...call, '--yes'])).stdout, answer)
  })
}
