/**
 * For tests: runs one whole import; returns its files, the vault's content, and all text visible outside of the vault.
 */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportReport } from '../../kernel/import-report.ts'
import { showSecretRef } from '../../kernel/secret-ref.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { createDefinitions } from '../create-definitions.ts'
import { openFakeDeps } from '../fake-deps.ts'

export interface Imported {
  readonly report: ImportReport
  readonly server: (
    id: string,
  ) => ServerDefinition & { readonly refs: Readonly<Record<string, string>> }
  readonly notes: (id: string) => string
  readonly secrets: ReadonlyMap<string, string>
  /** Everything written, shown or recorded outside of the vault. */
  readonly visible: string
}

/** Programs that tests name are made up. */
const OF_NO_FILE = /^cannot start: there is no file /

export async function importText(file: string, content: unknown): Promise<Imported> {
  await using deps = await openFakeDeps()
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const path = await deps.put(join('source', file), text)
  const definitions = createDefinitions(deps)
  const report = await definitions.migrate({
    path,
    dryRun: false,
    backup: false,
    replace: false,
  })
  const { servers, problems } = await definitions.load()
  assert.deepEqual(problems, [])
  assert.deepEqual(
    servers.flatMap(({ warnings }) => warnings.filter((one) => !OF_NO_FILE.test(one))),
    [],
  )
  const names = await readdir(deps.userFolder).catch((): string[] => [])
  const texts = await Promise.all(
    names.map((name) => readFile(join(deps.userFolder, name), 'utf8')),
  )
  return {
    report,
    server(id) {
      const found = servers.find(({ definition }) => definition.id === id)?.definition
      assert.ok(found, `no server ${id} in ${JSON.stringify(report)}`)
      const refs = Object.entries(found.auth).map(([key, ref]) => [key, showSecretRef(ref)])
      return { ...found, refs: Object.fromEntries(refs) as Record<string, string> }
    },
    notes(id) {
      const { notes = [], missing = [] } = report.servers.find(({ server }) => server === id) ?? {}
      return [...notes, missing].flat().join('\n')
    },
    secrets: new Map([...deps.secrets].map(([name, value]) => [name, value.toString()])),
    visible: JSON.stringify([report, texts, deps.events, [...deps.journals], deps.steps]),
  }
}
