/**
 * The SDK's client as Cordon uses it: both protocol eras, own list reading, no schema of a server compiled by the SDK.
 * Elicitation is offered only if the owner can be asked; sampling and roots never are.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type {
  Client,
  ClientOptions,
  PriorDiscovery,
  StandardSchemaV1,
  Transport,
} from '@modelcontextprotocol/client'
import type { QuestionAnswer } from '../../kernel/elicitation.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { CallClock, RequestTiming } from './call-clocks.ts'

/** The protocol era found in the last session; `auto` probes for it. */
export type EraChoice = 'auto' | PriorDiscovery

/** Takes the parameters of an elicitation as the server sent them, in either era; never rejects. */
export type ElicitationHandler = (
  params: JsonObject,
  /** The call that it belongs to, if the connection tells. */
  own: CallClock | undefined,
  signal: AbortSignal,
) => Promise<QuestionAnswer>

/**
 * The call that a request of a server belongs to. A legacy server over HTTP asks on the stream that answers the call's
 * request, which is read within the promise of that request. A modern server asks as the result of the call, which the SDK
 * hands to the method that is overridden below. Whatever else comes over standard input, or on the stream that all calls
 * share, is handled within no call.
 */
const callUnderWay = new AsyncLocalStorage<CallClock | undefined>()
/** By the signal that the SDK was given with the request. */
const clocksBySignal = new WeakMap<AbortSignal, CallClock>()

/** A request to the server whose elicitations are known to be its own. */
export function requestWithin<T>(
  clock: CallClock,
  request: (timing: RequestTiming) => Promise<T>,
): Promise<T> {
  const timing = clock.forRequest()
  clocksBySignal.set(timing.signal, clock)
  return callUnderWay.run(clock, () => request(timing))
}

function createClient(Plain: typeof Client, options: ClientOptions): Client {
  class CallingClient extends Plain {
    protected override _resolveNonCompleteResult: Client['_resolveNonCompleteResult'] = (
      decoded,
      flow,
    ) => {
      const { signal } = flow.options ?? {}
      const clock = signal && clocksBySignal.get(signal)
      return callUnderWay.run(clock, () => super._resolveNonCompleteResult(decoded, flow))
    }
  }
  return new CallingClient({ name: 'cordon', version: '0' }, options)
}

/** JSON-RPC 2.0, section 5.1: Method not found. */
const METHOD_NOT_FOUND = -32_601

/** Accepts every result as it came: limits and schemas are checked where the result is read. */
export const AS_IT_CAME: StandardSchemaV1<unknown, Json> = {
  '~standard': { version: 1, vendor: 'cordon', validate: (value) => ({ value: value as Json }) },
}

interface ClientSettings {
  /** Absent where nobody can be asked. */
  readonly handler: ElicitationHandler | undefined
  readonly startMs: number
  readonly probeMs: number
  /** Called when the server requests a method that Cordon does not offer. */
  readonly onUnoffered: (method: string) => void
}

export async function connectClient(
  transport: Transport,
  era: EraChoice,
  settings: ClientSettings,
  signal: AbortSignal,
): Promise<Client> {
  const sdk = await import('@modelcontextprotocol/client')
  const { startMs, onUnoffered, handler } = settings
  const client = createClient(sdk.Client, optionsFor(settings))
  // An error that matters ends the connection or fails a call as well.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client has no other way
  client.onerror = () => undefined
  client.fallbackRequestHandler = async ({ method }) => {
    onUnoffered(method)
    throw new sdk.ProtocolError(METHOD_NOT_FOUND, `There is no ${method} here`)
  }
  if (handler) {
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const answer = await handler(
        params as unknown as JsonObject,
        callUnderWay.getStore(),
        mcpReq.signal,
      )
      return answer as { action: 'accept'; content?: Record<string, string> }
    })
  }
  const prior = era === 'auto' ? {} : { prior: era }
  const options = { signal, timeout: startMs, ...prior }
  // The stream that all calls share must not count as the first call's own.
  await callUnderWay.run(undefined, () => client.connect(transport, options))
  return client
}

function optionsFor({ handler, startMs, probeMs }: ClientSettings): ClientOptions {
  return {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(probeMs, startMs) } },
    capabilities: handler ? { elicitation: { form: {}, url: {} } } : {},
    inputRequired: { autoFulfill: handler !== undefined },
    // The SDK's default compiles schemas to code. Cordon checks them in a thread of its own.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({
        valid: true,
        data: input as never,
        errorMessage: undefined,
      }),
    },
  }
}

/** The protocol era, to be stored for the next start. */
export function eraOf(client: Client): PriorDiscovery {
  const discover = client.getDiscoverResult()
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' }
}
