/**
 * Settings of another client, pasted as a message: their servers are added and started, their tokens go to the vault.
 * The text is never repeated, and counts as a secret if it held one.
 */
import type { ImportedServer, ImportReport } from '../../kernel/import-report.ts'
import type { Message, Reply } from '../../kernel/receive.ts'
import type { SetupDeps } from '../setup-deps.ts'

/** Programs of this machine are taken only from what was typed at a terminal of it. */
export async function importSettings(
  { definitions, servers }: Pick<SetupDeps, 'definitions' | 'servers'>,
  { text, isTyped = false }: Message,
): Promise<Reply> {
  const report = await definitions.migrate({
    path: 'the pasted text',
    text,
    dryRun: false,
    backup: false,
    replace: false,
    onlyPackages: !isTyped,
  })
  await servers.refresh()
  const starting = report.servers.filter(canStart).map(({ server }) => server)
  const wasSecret = report.servers.some(({ movedSecrets }) => movedSecrets.length > 0)
  return { kind: 'text', text: describe(report), wasSecret, starting }
}

function canStart({ action, missing }: ImportedServer): boolean {
  return action === 'created' && missing === undefined
}

function describe({ servers, problems }: ImportReport): string {
  const added = servers.flatMap(({ server, action, runs, missing, movedSecrets, notes }) =>
    action === 'kept'
      ? [`${server} stays as it is: ${notes.join(', ')}`]
      : [
          `${server} is added. It runs: ${runs ?? ''}`,
          ...movedSecrets.map((name) => `  Its token is in the vault as ${name}.`),
          ...(missing === undefined ? [] : [`  It cannot run yet. ${missing}`]),
        ],
  )
  return [...added, ...problems.map(({ message }) => `Left out: ${message}`)].join('\n')
}
