/**
 * A call while another server floods its standard error with short lines, against the same call in quiet. Both servers
 * are sandboxed and in one house, so the flood and the call share the kernel's only thread.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { openHouse } from '../src/house/open-house.ts'
import type { Api } from '../src/api/contract.ts'
import { type BenchReport, quantile } from './report.ts'

const WARM_UP = 200
const ROUNDS = 1000
/** Flooded bytes that use up the burst of the server's rate limit, so that the lasting flood is measured. */
const FLOODED_BYTES = 6 * 2 ** 20

export async function run(): Promise<BenchReport> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync('/var/tmp/cordon-flood-')
  stack.defer(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755) // the servers are not root, even where Cordon is
  const scripts = path.join(folder, 'servers')
  cpSync(fileURLToPath(new URL('../test/fixtures/servers/', import.meta.url)), scripts, {
    recursive: true,
  })
  const homePath = path.join(folder, 'home')
  mkdirSync(path.join(homePath, 'mcp'), { recursive: true, mode: 0o700 })
  define(homePath, 'quiet', [path.join(scripts, 'echo.mjs')])
  define(homePath, 'floods', [path.join(scripts, 'flooder.mjs'), 'endless'])
  const settings = { version: '0', homePath, port: 0, page: false, entry: '', environment: {} }
  const kernel = stack.use(await openHouse({ ...settings, databaseUrl: undefined }))
  await timeCalls(kernel, WARM_UP)
  const quiet = await timeCalls(kernel, ROUNDS)
  while ((await written(kernel)) < FLOODED_BYTES);
  const flooded = await timeCalls(kernel, ROUNDS)
  return report(quiet, flooded)
}

function report(quiet: readonly number[], flooded: readonly number[]): BenchReport {
  const value = quantile(flooded, 0.5) / quantile(quiet, 0.5)
  const name = 'call of another server under a flood vs quiet, p50'
  return {
    figures: [
      { name: 'quiet p50', value: quantile(quiet, 0.5), unit: 'ms' },
      { name: 'under a flood p50', value: quantile(flooded, 0.5), unit: 'ms' },
      { name: 'quiet p99', value: quantile(quiet, 0.99), unit: 'ms' },
      { name: 'under a flood p99', value: quantile(flooded, 0.99), unit: 'ms' },
    ],
    bars: [{ name, value, unit: '×', kind: 'most', limit: 3 }],
  }
}

function define(homePath: string, name: string, args: readonly string[]): void {
  const sandbox = ['[sandbox]', `read_paths = ["${path.dirname(args[0] ?? '')}"]`]
  const server = ['[server]', 'command = "node"', `args = ${JSON.stringify(args)}`]
  const tools = ['[tools.echo]', 'semantics = "read"'] // a read needs no approval; nobody is there to give one
  const text = [...server, ...sandbox, ...tools, ''].join('\n')
  writeFileSync(path.join(homePath, 'mcp', `${name}.toml`), text, { mode: 0o600 })
}

async function timeCalls(kernel: Api, rounds: number): Promise<readonly number[]> {
  const taken: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now()
    await echo(kernel, 'quiet')
    taken.push(performance.now() - began)
  }
  return taken
}

async function written(kernel: Api): Promise<number> {
  return Number(/"(\d+)"/.exec(await echo(kernel, 'floods'))?.[1])
}

async function echo(kernel: Api, server: string): Promise<string> {
  const args = server === 'quiet' ? { text: 'hello' } : {}
  const result = await kernel.call('mcp.call', { server, tool: 'echo', args })
  if (result.kind !== 'ok') throw new Error(result.reason)
  return JSON.stringify(result.value)
}
