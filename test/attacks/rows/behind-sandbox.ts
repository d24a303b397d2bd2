/** Fixture servers behind the real sandbox and the real egress proxy, in folders of the test's own. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { OWNER } from '../../../src/kernel/principal.ts'
import { createEgress } from '../../../src/egress/create-egress.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import type { ToolResult } from '../../../src/kernel/tool-call.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { define, openHouse, type TestHouse } from '../../servers/runtime/direct-sandbox.ts'

const fixtures = fileURLToPath(new URL('../../fixtures/servers/', import.meta.url))
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

export interface Behind extends AsyncDisposable {
  /** The folder of the fixture programs; servers may read this folder and none around it. */
  readonly programs: string
  /** Beside the programs, and shown to no server unless its definition names it. */
  readonly outside: string
  readonly cordonHome: string
  define(id: string, fixture: string, more?: Partial<ServerDefinition>): ServerDefinition
  open(
    definitions: ServerDefinition[],
    options?: Parameters<typeof openHouse>[1],
  ): Promise<TestHouse>
}

export async function openBehind(): Promise<Behind> {
  const folder = mkdtempSync('/var/tmp/cordon-rows-')
  const [programs, outside] = [path.join(folder, 'programs'), path.join(folder, 'outside')]
  cpSync(fixtures, programs, { recursive: true })
  mkdirSync(outside)
  for (const place of [folder, programs, outside]) chmodSync(place, 0o755) // servers are not root
  const cordonHome = path.join(folder, 'cordon-home')
  const sandbox = await openSandbox({
    pinPath,
    nodePath: process.execPath,
    cordonHome,
    userHome: homedir(),
    timings: { politeMs: 300, firmMs: 300 },
  })
  const audit = { append: () => ({}) as never }
  const egress = createEgress({ owner: OWNER.id, audit, log: silent, resolve: async () => [] })
  return {
    programs,
    outside,
    cordonHome,
    define(id, fixture, more = {}) {
      const plain = define(id, fixture, more)
      const [script = '', ...args] = plain.args
      return {
        ...plain,
        command: 'node',
        args: [path.join(programs, path.basename(script)), ...args],
      }
    },
    open: (definitions, options = {}) => openHouse(definitions, { sandbox, egress, ...options }),
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The first text of a result, or the reason why it has none. */
export function saidIn(result: ToolResult): string {
  if (result.kind !== 'ok') return `${result.kind}: ${result.reason}`
  const [block] = result.value as readonly { readonly text?: string }[]
  return block?.text ?? 'no text'
}
