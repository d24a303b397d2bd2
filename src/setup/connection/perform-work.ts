/**
 * Performs the work of a connection: each piece from its effect to its result. Decides nothing about the connection,
 * and never throws: a failure is a result too.
 */
import type { InstalledPackage } from '../../ports/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import { showSecretRef } from '../../kernel/secret-ref.ts'
import type { AcquirePrompt } from './acquirer.ts'
import { connectServer, prepare, verifyServer } from '../server/connect-server.ts'
import { identify } from '../server/identify.ts'
import { findCredentials } from '../server/find-credentials.ts'
import type { Connection, ConnectionWork, WorkResult } from './connection.ts'
import { CUT_SHORT, vaultMade } from './connection-messages.ts'
import { foreignText, reasonFor } from '../message/foreign-text.ts'
import type { PendingDeletions, PlannedDeletion } from '../message/pending-deletions.ts'
import { outsideRef } from './read-answer.ts'
import type { SetupDeps } from '../setup-deps.ts'

export interface WorkDeps extends SetupDeps {
  readonly deletions: PendingDeletions
}

/** Messages and prompts to the person during work. */
export interface WorkReporter {
  say(text: string): void
  prompt(prompt: AcquirePrompt): void
}

type Of<K extends ConnectionWork['kind']> = Extract<ConnectionWork, { readonly kind: K }>

interface WorkContext {
  readonly transcript: WorkReporter
  readonly signal: AbortSignal
  /** The planned deletion of the message that holds the credential; stored already. */
  readonly deletion: PlannedDeletion | undefined
  /** The package, if it was prefetched. */
  readonly installed: InstalledPackage | undefined
}

export async function performWork(
  deps: WorkDeps,
  connection: Connection,
  work: ConnectionWork,
  context: WorkContext,
): Promise<WorkResult> {
  try {
    return await perform(deps, connection, work, context)
  } catch (error) {
    const isBug = !(error instanceof CordonError) && !context.signal.aborted
    if (isBug) deps.log.error('A connection failed because of a bug', { error })
    return { kind: 'failed', reason: reasonFor(error, deps.redactor) }
  }
}

async function perform(
  deps: WorkDeps,
  connection: Connection,
  work: ConnectionWork,
  context: WorkContext,
): Promise<WorkResult> {
  const { signal } = context
  switch (work.kind) {
    case 'look':
      return await look(deps, connection)
    case 'store':
      return await store(deps, connection, work, context)
    case 'recall':
      return await recall(deps, connection, work)
    case 'acquire':
      return await acquire(deps, connection, work, context)
    case 'install':
      return await prepare(deps, connection, context, signal)
    case 'connect':
      return await connectServer(deps, connection, signal)
    default:
      return await verifyServer(deps, connection, signal)
  }
}

async function look(deps: WorkDeps, connection: Connection): Promise<WorkResult> {
  const found = await findCredentials(deps, connection)
  const { state } = await deps.vault.status()
  const isClosed = connection.asksVault === true && state !== 'unlocked'
  return { kind: 'looked', found, ...(isClosed && { vault: state }) }
}

/** In this order a crash anywhere leaves the message deleted, and the credential stored once or not at all. */
async function store(
  deps: WorkDeps,
  connection: Connection,
  work: Of<'store'>,
  { deletion, transcript }: WorkContext,
): Promise<WorkResult> {
  const result = await tellingOfVault(deps, transcript, () => storeValue(deps, connection, work))
  const isDeleted = await deletion?.carryOut()
  await deps.accounts.forget(connection.service.slug) // it may be the credential of another account
  return isDeleted === undefined ? result : { ...result, isDeleted }
}

/** Says how the first credential is protected, if storing it made the vault. */
async function tellingOfVault<T>(
  { vault }: WorkDeps,
  transcript: WorkReporter,
  store: () => Promise<T>,
): Promise<T> {
  const wasThere = await vault.isThere()
  const result = await store()
  const now = wasThere ? undefined : await vault.status()
  if (now?.state === 'unlocked') transcript.say(vaultMade(now.keySource))
  return result
}

type Stored = Extract<WorkResult, { readonly kind: 'stored' | 'not-stored' }>

async function storeValue(
  deps: WorkDeps,
  connection: Connection,
  work: Of<'store'>,
): Promise<Stored> {
  const { vault, log, redactor } = deps
  try {
    const outside = outsideRef(work.value)
    if (outside) {
      const ref = showSecretRef(outside)
      const isThere = await vault.resolves(connection.principal, outside)
      return isThere
        ? { kind: 'stored', ref }
        : { kind: 'not-stored', reason: `There is no ${ref}` }
    }
    const name = nameOf(connection, work.key)
    const bytes = Buffer.from(work.value)
    await vault.set(connection.principal, name, bytes).finally(() => bytes.fill(0))
    return { kind: 'stored', ref: `vault:${name}` }
  } catch (error) {
    log.warn('A credential was not stored', { service: connection.service.slug, error })
    return { kind: 'not-stored', reason: reasonFor(error, redactor) }
  }
}

async function recall(
  deps: WorkDeps,
  connection: Connection,
  work: Of<'recall'>,
): Promise<WorkResult> {
  const name = nameOf(connection, work.key)
  const secrets = await deps.vault.list(connection.principal)
  const found = secrets.find((secret) => secret.name === name)
  const isStored = found && !found.damaged && Date.parse(found.updatedAt) >= work.since
  return isStored
    ? { kind: 'stored', ref: `vault:${name}` }
    : { kind: 'not-stored', reason: CUT_SHORT }
}

function nameOf({ found, service }: Connection, key: string): string {
  return found.names[key] ?? `${service.slug}.${key}`
}

async function acquire(
  deps: WorkDeps,
  { service }: Connection,
  work: Of<'acquire'>,
  { transcript, signal }: WorkContext,
): Promise<WorkResult> {
  const method = service.oauth[work.method]
  const { acquirer } = deps
  if (!method || !acquirer) return { kind: 'not-acquired', isUnavailable: true }
  const request = { service, method, name: service.slug }
  const acquired = await tellingOfVault(deps, transcript, () =>
    acquirer.start(request, (prompt) => transcript.prompt(prompt), signal),
  )
  if (acquired.kind === 'token') {
    const identity = await identify(deps, service, acquired.account)
    return { kind: 'acquired', ref: showSecretRef(acquired.ref), ...(identity && { identity }) }
  }
  deps.log.info('A token was not acquired', { service: service.slug, reason: acquired.reason })
  const isUnavailable = acquired.kind === 'unavailable'
  const client = isUnavailable && acquired.client ? { client: acquired.client } : {}
  if (isUnavailable && acquired.isSetUp === false) {
    return { kind: 'not-acquired', isUnavailable, ...client }
  }
  const { kind: _kind, ...told } = acquired
  const failure = { ...told, reason: foreignText(acquired.reason, deps.redactor) }
  return { kind: 'not-acquired', isUnavailable, failure, ...client }
}
