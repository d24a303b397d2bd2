/** Builds the rooms that keep things: home, log, audit, store, notices. Contains no rules. */
import { openAudit } from '../audit/open-audit.ts'
import { openHome } from '../home/open-home.ts'
import { openLog } from '../home/open-log.ts'
import type { Log } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import { type OwnedNotices, openNotices } from '../notices/open-notices.ts'
import { openStore, type OwnerTables, type Store } from '../store/open-store.ts'
import { createRedactor } from '../vault/redactor.ts'

interface KeptRooms {
  readonly home: Awaited<ReturnType<typeof openHome>>
  readonly log: Log
  readonly redactor: ReturnType<typeof createRedactor>
  readonly audit: Awaited<ReturnType<typeof openAudit>>
  readonly store: Store
  readonly tables: OwnerTables
  readonly notices: OwnedNotices
}

/** Gives each opened room to `stack`: the home's lock is released last. */
export async function openKeptRooms(
  {
    homePath,
    databaseUrl,
  }: { readonly homePath: string; readonly databaseUrl: string | undefined },
  stack: AsyncDisposableStack,
): Promise<KeptRooms> {
  const owner = OWNER.id
  const redactor = createRedactor()
  const home = stack.use(await openHome(homePath))
  const { paths } = home
  const log = stack.use(openLog({ folder: paths.logs, redactor }))
  stack.defer(logCrashes(log))
  const audit = stack.use(
    await openAudit({ owner, folder: paths.audit, anchorPath: paths.auditHead, redactor, log }),
  )
  const store = stack.use(await openStore({ databaseUrl, sqlitePath: paths.state, log }))
  const tables = store.forOwner(owner)
  const notices = stack.use(
    await openNotices({ rows: tables.notices, log, redactor, now: Date.now }),
  )
  return { home, log, redactor, audit, store, tables, notices }
}

/** Logs a bug that ends the process, wherever its output goes. Returns a function that stops watching. */
function logCrashes(log: Log): () => void {
  const write = (error: Error) => log.error('Cordon ends because of a bug', { error })
  process.on('uncaughtExceptionMonitor', write)
  return () => process.off('uncaughtExceptionMonitor', write)
}
