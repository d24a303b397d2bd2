/**
 * Failures that the specifications list (C§9, D§7 in `seeds-samples.ts`): GitHub's real server, an API that refuses,
 * breaks or stays silent, and servers that die. Each failure has a message of its own, and can be an edge of a flow.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findSocketApi } from '../../src/api/client.ts'
import type { Output } from '../../src/api/contract.ts'
import { FOREVER, type Trouble } from '../fixtures/github-stand-in.ts'
import { root } from '../fixtures/cordon.ts'
import { openSeedsCordon } from '../fixtures/seeds-cordon.ts'
import { until } from '../fixtures/until.ts'

const cordon = await openSeedsCordon('github', 'everything')
after(() => cordon[Symbol.asyncDispose]())
let before = 0
beforeEach(() => {
  cordon.github.troubles.length = 0
  before = cordon.github.asked.length
})
/** The requests of this test to GitHub so far. */
const asked = (): readonly string[] =>
  cordon.github.asked.slice(before).filter((line) => !line.includes(FOREVER))

/** §7.2 of D. A tool of `everything` does the waiting; only the owner renews a token, so that step just says so. */
const RECOVERY = {
  inputs: { query: { type: 'string', required: true } },
  nodes: [
    {
      id: 'github_search',
      type: 'mcp-github-search-code',
      params: { q: '${query}' },
      execution: { max_retries: 0 },
    },
    { id: 'process_results', type: 'summarize-text' },
    {
      id: 'retry_handler',
      type: 'mcp-everything-trigger-long-running-operation',
      params: { duration: 1, steps: 1 },
    },
    { id: 'auth_refresher', type: 'mcp-everything-echo', params: { message: 'Renew the token' } },
    {
      id: 'error_reporter',
      type: 'write-file',
      params: { path: 'errors.log', content: 'Nothing is there' },
    },
  ],
  edges: [
    { from: 'github_search', to: 'process_results' },
    { from: 'github_search', to: 'retry_handler', action: 'rate_limited' },
    { from: 'retry_handler', to: 'github_search', max: 1 },
    { from: 'github_search', to: 'auth_refresher', action: 'auth_failed' },
    { from: 'auth_refresher', to: 'github_search', max: 1 },
    { from: 'github_search', to: 'error_reporter', action: 'resource_missing' },
    { from: 'github_search', to: 'retry_handler', action: 'timeout' },
  ],
}
cordon.write('recovery.json', RECOVERY)
await cordon.says('cordon flow save recovery.json --as-mine')
const recover = (query: string) => cordon.shell(`cordon run recovery.json --input query=${query}`)

/** This run takes as long as a call may take, so it begins before all tests. */
const late = recover(FOREVER)
late.catch(() => undefined)

const stepsIn = (stderr: string): readonly string[] =>
  [...stderr.matchAll(/^(\w+) \([\w-]+\) … (\w+)/gm)].map(([, node, end]) => `${node} ${end}`)

test('D§7.2 edges: the flow is drawn with the way back after each failure', async () => {
  const drawn = await cordon.says('cordon flow export recovery.json --format text')
  assert.match(drawn, /^github_search - rate_limited >> retry_handler$/m)
  assert.match(drawn, /^retry_handler - at most 1 times >> github_search$/m)
  assert.match(await cordon.says('cordon flow check recovery.json'), /\nIt can run\.$/)
  const edges = RECOVERY.edges.map(({ max: _bound, ...edge }) => edge)
  cordon.write('endless.json', { ...RECOVERY, edges })
  const endless = await cordon.shell('cordon flow check endless.json')
  assert.equal(endless.code, 2)
  assert.match(endless.stdout, /^error: .*\n {2}hint: .*max/m)
})

test('D§7.2: rate limited, wait, and search again', async () => {
  cordon.github.troubles.push('rate-limited')
  const { code, stdout, stderr } = await recover('x')
  assert.deepEqual([code, stdout], [0, 'Three files want work\n'])
  assert.deepEqual(stepsIn(stderr), [
    'github_search rate_limited',
    'retry_handler done',
    'github_search 3',
    'process_results done',
  ])
  assert.deepEqual(asked(), ['GET /search/code?q=x 429', 'GET /search/code?q=x 200'])
})

test('D§7.2: a way back is gone as often as it says; then the run ends', async () => {
  cordon.github.troubles.push('rate-limited', 'too-fast')
  const { code, stderr } = await recover('x')
  assert.equal(code, 5)
  assert.deepEqual(stepsIn(stderr).slice(0, 2), [
    'github_search rate_limited',
    'retry_handler done',
  ])
  assert.equal(asked().length, 2)
})

test('D§7.2: a token that is refused, and one that is taken again', async () => {
  cordon.github.troubles.push('revoked')
  const { code, stdout, stderr } = await recover('x')
  assert.deepEqual([code, stdout], [0, 'Three files want work\n'])
  assert.match(
    stderr,
    /auth_failed: GitHub said: ".*"\. Authentication failed\. Check your GitHub token\./,
  )
  assert.equal(stepsIn(stderr)[1], 'auth_refresher done')
})

test('D§7.2: what is not there is reported, and the flow ends well', async () => {
  cordon.github.troubles.push('missing')
  const { code, stdout } = await recover('x')
  assert.deepEqual([code, stdout], [0, 'errors.log\n'])
  assert.equal(readFileSync(path.join(cordon.folder, 'errors.log'), 'utf8'), 'Nothing is there')
})

const MESSAGES: readonly (readonly [Trouble, string])[] = [
  ['rate-limited', 'GitHub API rate limit exceeded. Please try again later.'],
  ['too-fast', 'GitHub API rate limit exceeded. Please try again later.'],
  ['revoked', 'Authentication failed. Check your GitHub token.'],
  ['forbidden', 'Permission denied. Check your token scopes.'],
  ['missing', 'Resource not found. Check repository and query.'],
  ['broken', 'GitHub server error. Please try again later.'],
  ['gone', 'GitHub could not reach what it calls.'],
]

test('D§7.1 messages: without an edge for it, a failure ends the run with its sentence', async () => {
  const node = { id: 's', type: 'mcp-github-search-code', params: { q: 'x' } }
  cordon.write('once.json', { nodes: [{ ...node, execution: { max_retries: 0 } }] })
  for (const [trouble, message] of MESSAGES) {
    cordon.github.troubles.push(trouble)
    const { code, stdout, stderr } = await cordon.shell('cordon run once.json')
    assert.deepEqual([code, stdout], [5, ''])
    const [first = ''] = stderr.split('\n')
    assert.match(first, /^cordon: error: GitHub said: "/)
    assert.ok(first.endsWith(`. ${message}`), stderr)
    assert.match(stderr, /^cordon: hint: .*`cordon flow resume [0-9a-f-]{36} --retry`$/m)
  }
})

test('C§9: a server error is tried again as often as the flow says, and what failed can be resumed', async () => {
  const node = { id: 's', type: 'mcp-github-search-code', params: { q: 'x' } }
  cordon.write('retried.json', { nodes: [{ ...node, execution: { max_retries: 1 } }] })
  cordon.github.troubles.push('broken')
  assert.match(await cordon.says('cordon run retried.json'), /"total_count": 3/)
  assert.equal(asked().length, 2)
  cordon.github.troubles.push('missing')
  const { stdout } = await cordon.shell('cordon --json run retried.json')
  const { id } = JSON.parse(stdout) as Output<'flows.start'>
  assert.match(await cordon.says(`cordon flow resume ${id} --retry`), /"total_count": 3/)
})

test('C§9, D§7.3 transports: a server that dies in the middle of a read is started again', async () => {
  const long = 'cordon mcp-everything-trigger-long-running-operation --duration 5 --steps 1'
  const running = cordon.shell(long)
  const dead = await killAtWork()
  const { code, stdout, stderr } = await running
  assert.equal(code, 0, stderr)
  assert.match(stdout, /Long running operation completed/)
  assert.notEqual(await pidOf(EVERYTHING), dead)
})

const EVERYTHING = path.join(root, 'node_modules/@modelcontextprotocol/server-everything')

/** Kills the server while it works on a call; returns the id of its process. */
async function killAtWork(): Promise<number> {
  const api = await findSocketApi(path.join(cordon.home, 'run', 'cordon.sock'))
  await until(async () => {
    const running = await api?.call('flows.runs', { state: 'running' })
    const server = await api?.call('mcp.show', { server: 'everything' })
    const isCalled = running?.runs.some(({ flow }) => flow.includes('long-running')) === true
    return isCalled && server?.state.badge === 'connected'
  })
  await sleep(1000)
  const pid = await pidOf(EVERYTHING)
  assert.ok(pid > 1) // 0 would signal the whole process group
  process.kill(pid, 'SIGKILL')
  return pid
}

/** Below the kernel of this test: another run on the machine may have a server from the same folder. */
async function pidOf(script: string): Promise<number> {
  const { pid: kernel } = await cordon.ask<Output<'status'>>(['status'])
  const found = readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) && commandOf(pid).includes(`/node\0${script}`) && isBelow(pid, kernel),
  )
  return Number(found[0] ?? 0)
}

function isBelow(pid: string, ancestor: number): boolean {
  for (let at = Number(pid); at > 1; at = parentOf(at)) if (at === ancestor) return true
  return false
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])
  } catch {
    return 0 // the process has just ended
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // the process has just ended
  }
}

test('D§7.2: no answer in time, wait, and search again', async () => {
  const { code, stdout, stderr } = await late
  assert.deepEqual([code, stdout], [0, 'Three files want work\n'], stderr)
  assert.match(stderr, /timeout: Request timed out\. Please try again\./)
  assert.deepEqual(stepsIn(stderr), [
    'github_search timeout',
    'retry_handler done',
    'github_search 3',
    'process_results done',
  ])
})

test('C§9 failures: a server that is off, and how to switch it on', async () => {
  await cordon.says('cordon mcp disable github')
  const { code, stderr } = await cordon.shell('cordon mcp-github-search-code --q x')
  assert.equal(code, 5)
  assert.match(stderr, /^cordon: error: Cannot start the flow: github is switched off$/m)
  assert.match(stderr, /^cordon: hint: Run `cordon mcp enable github`, then start the flow again$/m)
})
