/** Runs the checks on one gateway: starts it where it has to be started, and gives each check clients of its own. */
import { type Adapter, BACKENDS, type BackendName, type Gateway } from './adapters/adapter.ts'
import { type Check, CheckFailed, NotApplicable, Subject } from './check.ts'

export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly why: string }
  | { readonly kind: 'n/a'; readonly why: string }

export type Verdicts = ReadonlyMap<string, Verdict>

/** Checks that do no harm share one gateway with these. */
const SHARED: readonly BackendName[] = ['alpha', 'beta']

export async function runChecks(
  adapter: Adapter,
  checks: readonly Check[],
  told: (check: Check, verdict: Verdict) => void,
): Promise<Verdicts> {
  const verdicts = new Map<string, Verdict>()
  await using shared = new SharedGateway(adapter)
  for (const check of checks) {
    const verdict = await runCheck(adapter, check, shared)
    verdicts.set(check.id, verdict)
    told(check, verdict)
  }
  return verdicts
}

class SharedGateway implements AsyncDisposable {
  readonly #adapter: Adapter
  #gateway: Promise<Gateway> | undefined

  constructor(adapter: Adapter) {
    this.#adapter = adapter
  }

  async use(): Promise<Gateway> {
    const { isSingle } = this.#adapter
    this.#gateway ??= openWith(this.#adapter, isSingle ? SHARED.slice(0, 1) : SHARED)
    return await this.#gateway
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#gateway?.catch(() => undefined))?.[Symbol.asyncDispose]()
    this.#gateway = undefined
  }
}

async function openWith(adapter: Adapter, names: readonly BackendName[]): Promise<Gateway> {
  return await adapter.open(names.map((name) => BACKENDS[name]))
}

async function runCheck(adapter: Adapter, check: Check, shared: SharedGateway): Promise<Verdict> {
  const { backends = ['alpha'], isRough } = check
  if (adapter.isSingle && backends.length > 1) return { kind: 'n/a', why: 'it takes one server' }
  try {
    await using stack = new AsyncDisposableStack()
    const own = isRough && !adapter.isFixed
    // The machine may be small: the gateway that is not needed meanwhile is stopped.
    if (own) await shared[Symbol.asyncDispose]()
    const gateway = own ? stack.use(await openWith(adapter, backends)) : await shared.use()
    const missing = missingFor(check, gateway)
    if (missing !== undefined) return { kind: 'n/a', why: missing }
    await check.run(stack.use(new Subject(gateway)))
    return { kind: 'pass' }
  } catch (error) {
    return verdictOf(error)
  }
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof NotApplicable) return { kind: 'n/a', why: error.message }
  if (error instanceof CheckFailed) return { kind: 'fail', why: error.message }
  return { kind: 'fail', why: `the check broke off: ${String(error)}` }
}

function missingFor({ needs }: Check, { clients, http }: Gateway): string | undefined {
  if (needs === 'two clients' && clients === 'processes') {
    return 'each client has a gateway process of its own'
  }
  if (needs === 'principals' && clients !== 'principals') {
    return 'it knows one principal: whoever reaches it'
  }
  return needs === 'http' && !http ? 'it has no Streamable HTTP' : undefined
}
