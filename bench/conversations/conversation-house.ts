/** A kernel as it is published and started by a person, a model server on loopback, and a sandboxed server with two tools. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findSocketApi } from '../../src/api/client.ts'
import type { Api } from '../../src/api/contract.ts'
import { openCordon, root, seen } from '../../test/fixtures/cordon.ts'
import { startTimedModel, type TimedModel } from './timed-model.ts'

export interface ConversationHouse extends AsyncDisposable {
  readonly api: Api
  readonly pid: number
  readonly model: TimedModel
}

const ECHO = new URL('timed-echo.mjs', import.meta.url)

export async function openConversationHouse(): Promise<ConversationHouse> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startTimedModel())
  const cordon = stack.use(openCordon({ entry: await bundle() }))
  writeHome(cordon.home, model.url, writeServer(stack))
  const kernel = cordon.start(['up'])
  await seen(kernel.stdout, /\n/)
  const api = await findSocketApi(path.join(cordon.home, 'run', 'cordon.sock'))
  if (!api || kernel.pid === undefined) throw new Error('The kernel does not answer')
  await api.call('mcp.start', { server: 'echo' })
  const owned = stack.move()
  return { api, pid: kernel.pid, model, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** The program in a few files, as `npm run build` makes it. */
async function bundle(): Promise<string> {
  const { bundleForTests } = (await import(
    new URL('../../scripts/test-bundle.mjs', import.meta.url).href
  )) as { readonly bundleForTests: (folder: string) => Promise<string> }
  return path.join(await bundleForTests(root), 'main.js')
}

function writeServer(stack: AsyncDisposableStack): string {
  const folder = mkdtempSync('/var/tmp/cordon-conversations-')
  stack.defer(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755) // the server is not root, even where Cordon is
  const script = path.join(folder, 'echo.mjs')
  cpSync(fileURLToPath(ECHO), script)
  return script
}

function writeHome(home: string, url: string, script: string): void {
  mkdirSync(path.join(home, 'mcp'), { recursive: true, mode: 0o700 })
  const models = ['[models.default]', `url = "${url}"`, 'model = "scripted"', 'local = true']
  writeFileSync(path.join(home, 'config.toml'), `${models.join('\n')}\n`, { mode: 0o600 })
  const server = [
    '[server]',
    'command = "node"',
    `args = ${JSON.stringify([script])}`,
    '[sandbox]',
    `read_paths = ["${path.dirname(script)}"]`,
    '[tools.echo]',
    'semantics = "read"',
    '[tools.sum]',
    'semantics = "destructive"',
  ]
  writeFileSync(path.join(home, 'mcp', 'echo.toml'), `${server.join('\n')}\n`, { mode: 0o600 })
}
