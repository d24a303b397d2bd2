/**
 * URL elicitation for a question to the owner: a modern client that declares it is given the address of the owner's page
 * instead of being kept waiting, and calls again once the person has been there (MRTR, SEP-2322). The answer itself never
 * passes through the client.
 */
import type { JsonObject } from '../text/json.ts'
import type { Exchange } from './handle-request.ts'
import { isObject } from './rpc-message.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const KEY = 'owner'

/** The client opens addresses for its person, and has not been sent to the page about this call yet. */
export function takesUrl({ era }: Pick<Exchange, 'era'>, params: JsonObject): boolean {
  if (era !== 'modern' || params['inputResponses'] !== undefined) return false
  const meta = params['_meta']
  const declared = isObject(meta) ? meta[CAPABILITIES] : undefined
  const elicitation = isObject(declared) ? declared['elicitation'] : undefined
  return isObject(elicitation) && isObject(elicitation['url'])
}

/** Whether the person at the client said no to opening the page. */
export function isDeclined(params: JsonObject): boolean {
  const responses = params['inputResponses']
  const response = isObject(responses) ? responses[KEY] : undefined
  return isObject(response) && response['action'] !== 'accept'
}

/** The question is put and left at once; an answer that is there already is used. */
export const LEFT_AT_ONCE: AbortSignal = AbortSignal.abort()

/** The result that sends the client's person to the page. */
export function askByUrl(page: string): JsonObject {
  return {
    resultType: 'input_required',
    inputRequests: {
      [KEY]: {
        method: 'elicitation/create',
        params: {
          mode: 'url',
          message: 'Cordon asks the owner about this call. Answer on its page, then go on.',
          url: `${page}/#/approvals`,
        },
      },
    },
  }
}
