/**
 * Flows and values that no person would write, through the real command line and kernel: each ends soon, with a result or
 * with one sentence about what to change, and the kernel answers afterwards.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { KernelStatus } from '../../src/api/kernel.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { openCordon, type Ran } from '../fixtures/cordon.ts'

const SOON_MS = 30_000
const cordon = openCordon()
const folder = path.join(path.dirname(cordon.home), 'odd')
const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
const million = JSON.stringify(Array.from({ length: 1_000_000 }, (_, at) => at))
let pid = 0

before(async () => {
  mkdirSync(folder, { recursive: true })
  await cordon.ask(['mcp', 'list'])
  pid = (await cordon.ask<KernelStatus>(['status'])).pid
})
after(() => cordon[Symbol.asyncDispose]())

async function run(args: readonly string[], stdin?: string): Promise<Ran> {
  const began = performance.now()
  const ran = await cordon.run(args, { cwd: folder, ...(stdin !== undefined && { stdin }) })
  assert.ok(performance.now() - began < SOON_MS, 'it ends soon')
  assert.doesNotMatch(
    ran.stderr,
    /\bbug\b|RangeError|TypeError|\n\s+at |Cannot reach/,
    args.join(' '),
  )
  assert.equal((await cordon.ask<KernelStatus>(['status'])).pid, pid, 'the kernel lives on')
  return ran
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(path.join(folder, name), content)
  return name
}

const flowWith = (params: string): string =>
  `{"nodes": [{"id": "n", "type": "count", "params": {"items": ${params}}}]}`

test('a flow that is too long or too deep is refused with what to do', async () => {
  const long = await run(['run', file('long.json', flowWith(million))])
  assert.match(long.stderr, /Cannot read a flow of more than 512 KiB[^]*hint: Split the flow/)
  for (const args of [
    ['run', file('deep.json', flowWith(deep))],
    ['count --items ${list}', '--input', `list=${deep}`],
    ['run', file('less-deep.json', flowWith(deep.slice(9_900, -9_900)))],
  ]) {
    const { code, stderr } = await run(args)
    assert.equal(code, 2)
    assert.match(stderr, /nested deeper than 32 levels\n.*hint: Keep the value as text in a file/)
  }
})

test('a list of a million items, a file of 50 MB and a text of ten thousand brackets end with a sentence', async () => {
  const piped = await run(['count'], million)
  assert.match(piped.stderr, /Cannot read more than 512 KiB from standard input/)
  const large = await run([
    `read-file --path ${file('large.txt', Buffer.alloc(50e6, 'x'))} >> count`,
  ])
  assert.match(large.stderr, /"large\.txt" is larger than 10 MB/)
  for (const [name, text] of [
    ['million.txt', million],
    ['deep.txt', deep],
  ] as const) {
    const { code, stderr } = await run([`read-file --path ${file(name, text)} >> count`])
    assert.equal(code, 5)
    assert.match(
      stderr,
      /Cannot make a value that is larger than 16 MiB, or nested deeper than 128/,
    )
  }
})

test('half a character is refused, and the names of the language itself are ordinary names', async () => {
  const half = '{"nodes": [{"id": "n", "type": "format", "params": {"template": "a\\ud800b"}}]}'
  assert.match((await run(['run', file('half.json', half)])).stderr, /holds half a character/)
  const bytes = Buffer.from([0x61, 0xed, 0xa0, 0x80])
  const read = await run([`read-file --path ${file('half.txt', bytes)}`])
  assert.match(read.stderr, /is not text in UTF-8/)
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const ir = `{"nodes": [{"id": "${name}", "type": "format", "params": {"template": "x"}},
      {"id": "b", "type": "format", "params": {"template": "got \${${name}.result}"}}],
      "inputs": {"__proto__": {"type": "string", "default": "a"}}}`
    const { code, stdout } = await run(['run', file('names.json', ir)])
    assert.deepEqual([code, stdout.trim()], [0, 'got x'])
  }
})

test('JSON at random is refused as a flow, or runs', async () => {
  const node = fc.record(
    {
      id: fc.string(),
      type: fc.constantFrom('format', 'count', 'x'),
      params: fc.jsonValue(),
      forEach: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const ir = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        nodes: fc.oneof(fc.array(node), fc.jsonValue()),
        edges: fc.jsonValue(),
        inputs: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  )
  for (const one of fc.sample(ir, { numRuns: rounds(60, 10), seed: 7 })) {
    const { code } = await run(['run', file('random.json', JSON.stringify(one)), '--json'])
    assert.ok(code === 0 || code === 2 || code === 5, JSON.stringify(one))
  }
})
