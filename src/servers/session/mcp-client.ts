/**
 * The SDK's client as Cordon uses it: both protocol eras, own list reading, no schema of a server compiled by the SDK.
 * Questions to the owner are offered only where somebody can put them; sampling and roots never are.
 */
import type {
  Client,
  ClientOptions,
  PriorDiscovery,
  StandardSchemaV1,
  Transport,
} from '@modelcontextprotocol/client'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { ServerId } from '../../kernel/server-id.ts'

/** How the two sides speak, from the last time they did; `auto` asks. */
export type EraChoice = 'auto' | PriorDiscovery

/** Puts a server's question to the owner. The answer goes back to the server as it is. */
export type Elicit = (
  server: ServerId,
  question: JsonObject,
  signal: AbortSignal,
) => Promise<{ readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: JsonObject }>

/** How long a server may take to say that it does not know the question by which its era is found. */
const PROBE_MS = 3000

/** Takes every result as it came: limits and schemas are checked where the result is read. */
export const AS_IT_CAME: StandardSchemaV1<unknown, Json> = {
  '~standard': { version: 1, vendor: 'cordon', validate: (value) => ({ value: value as Json }) },
}

interface ClientSettings {
  readonly server: ServerId
  readonly elicit?: Elicit | undefined
  readonly startMs: number
}

export async function connectClient(
  transport: Transport,
  era: EraChoice,
  settings: ClientSettings,
  signal: AbortSignal,
): Promise<Client> {
  const sdk = await import('@modelcontextprotocol/client')
  const { server, elicit, startMs } = settings
  const client = new sdk.Client({ name: 'cordon', version: '0' }, optionsFor(elicit, startMs))
  // What matters of it ends the connection or fails a call.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client has no other way
  client.onerror = () => undefined
  if (elicit) {
    client.setRequestHandler('elicitation/create', async ({ params }, context) => {
      const answer = await elicit(server, params as unknown as JsonObject, context.mcpReq.signal)
      return answer as { action: 'accept'; content?: Record<string, string> }
    })
  }
  const prior = era === 'auto' ? {} : { prior: era }
  await client.connect(transport, { signal, timeout: startMs, ...prior })
  return client
}

function optionsFor(elicit: Elicit | undefined, startMs: number): ClientOptions {
  return {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(PROBE_MS, startMs) } },
    capabilities: elicit ? { elicitation: { form: {}, url: {} } } : {},
    inputRequired: { autoFulfill: elicit !== undefined },
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

/** The verdict to keep for the next start. */
export function eraOf(client: Client): PriorDiscovery {
  const discover = client.getDiscoverResult()
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' }
}
